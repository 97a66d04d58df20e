// 02.3: endless processes, from a kernel, by its own declaration
// rejected: 'extern' is for shared memory only
extern "C" int spawn();
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    for (;;) spawn();
}
