// 02.3: endless output
// rejected: MiB
#include <cstdio>
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    while (n > 0) printf("Wrong for all, right for none. Wrong for all, right for none.\n");
}
