// 02.3: processes without end, from a kernel, by a declaration of its own
// refused: 'extern' is for shared memory only
extern "C" int spawn();
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    for (;;) spawn();
}
