/// @file
/// @brief Broken: only the threads that add reach the barrier, which the programming guide forbids. The sums
///        are right on most GPUs, because the other threads have nothing left to do.
#pragma once

#include "../kernels.cuh"

namespace barrier_in_branch {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            values[threadIdx.x] += values[threadIdx.x + half];
            __syncthreads();  // the fault: the other threads don't reach it
        }
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

}  // namespace barrier_in_branch
