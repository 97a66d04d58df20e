/// @file
/// @brief Broken: a tree without a barrier between its levels. Sums are read before they are stored.
/// @par Source
/// E (Hobbit 2015) warns of it, and compares a slow thread with the shortest stave of a barrel.
#pragma once

#include "../kernels.cuh"

namespace no_barrier_in_tree {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        // the fault: no barrier here
    }
    __syncthreads();
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

}  // namespace no_barrier_in_tree
