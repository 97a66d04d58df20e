// 02.3: a correct variant of the cheat's in place of the student's
// rejected: nvcc would reject it
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    added_variants<Histogram>.front().run = nullptr;
}
