// 02.3: an endless loop
// rejected: makes no progress
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    volatile unsigned int turns = 0;
    while (n > 0) turns = turns + 1;
}
