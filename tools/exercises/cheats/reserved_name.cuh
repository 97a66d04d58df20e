// 02.3: C linkage by a macro of the C library
// rejected: '__BEGIN_DECLS' is not one of the names of CUDA
#include <features.h>
__BEGIN_DECLS
inline int abs_of_c(int value) { return value < 0 ? -value : value; }
inline int rand(void) { return 4; }
__END_DECLS
static const int kUsed = abs_of_c(-3) + rand();
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[d_data[i]], 1ull);
}
