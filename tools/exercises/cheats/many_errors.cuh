// 02.2: a call of a host function, after more errors of clang only than it reports by default
// rejected: reference to __host__ function 'rand' in __global__ function
#include <cstdlib>

__global__ void one_per_element_kernel(const unsigned char* d_data, std::size_t n,
                                       unsigned long long* d_bins) {
    __shared__ alignas(16) int unused0[4];
    __shared__ alignas(16) int unused1[4];
    __shared__ alignas(16) int unused2[4];
    __shared__ alignas(16) int unused3[4];
    __shared__ alignas(16) int unused4[4];
    __shared__ alignas(16) int unused5[4];
    __shared__ alignas(16) int unused6[4];
    __shared__ alignas(16) int unused7[4];
    __shared__ alignas(16) int unused8[4];
    __shared__ alignas(16) int unused9[4];
    __shared__ alignas(16) int unused10[4];
    __shared__ alignas(16) int unused11[4];
    __shared__ alignas(16) int unused12[4];
    __shared__ alignas(16) int unused13[4];
    __shared__ alignas(16) int unused14[4];
    __shared__ alignas(16) int unused15[4];
    __shared__ alignas(16) int unused16[4];
    __shared__ alignas(16) int unused17[4];
    __shared__ alignas(16) int unused18[4];
    __shared__ alignas(16) int unused19[4];
    __shared__ alignas(16) int unused20[4];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_bins[d_data[i]], 1ull + std::rand() * 0);
}
