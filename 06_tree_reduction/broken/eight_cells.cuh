/// @file
/// @brief Broken: the shared array has an element per block, and every thread stores a number there.
/// @par Source
/// C (Caijinping 2014): `__shared__ int shared[BLOCK_NUM]` holds 8 ints, and 64 threads write it.
#pragma once

#include "../kernels.cuh"

namespace eight_cells {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    constexpr unsigned int kCells = 8;
    __shared__ unsigned long long values[kCells];
    // The fault is that kCells is not blockDim.x. In the article threads 8 to 63 store past the end of the
    // array; here they share the cells that exist.
    values[threadIdx.x % kCells] = own_square(d_data, n);
    __syncthreads();
    if (threadIdx.x != 0) return;
    unsigned long long sum = 0;
    for (unsigned int t = 0; t < kCells; ++t) sum += values[t];
    d_partials[blockIdx.x] = sum;
}

}  // namespace eight_cells
