/// @file
/// @brief Broken: the cells of threads past n are read, and never stored.
/// @par Source
/// E (Hobbit 2015): `if (tid + blockIdx.x * blockDim.x < N) cache[tid] = …`, with no else.
#pragma once

#include "../kernels.cuh"

namespace unwritten_cells {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) values[threadIdx.x] = square(d_data[i]);  // the fault: no else
    __syncthreads();
    for (unsigned int count = blockDim.x; count > 1;) {
        const unsigned int half = count - count / 2;
        if (threadIdx.x + half < count) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
        count = half;
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

}  // namespace unwritten_cells
