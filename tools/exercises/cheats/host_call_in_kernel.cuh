// 02.3: a host function called in a kernel
// rejected: nvcc would reject it
#include <cstdio>
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    if (n > 0) remove("/tmp/pwned");
}
