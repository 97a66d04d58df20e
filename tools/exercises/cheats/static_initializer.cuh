// 02.3: a process, before the process's own code runs
// rejected: the program makes a system call that no exercise needs
#include <unistd.h>
static const int kBefore = execl("/usr/bin/true", "true", static_cast<char*>(nullptr));
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[d_data[i]], 1ull);
}
