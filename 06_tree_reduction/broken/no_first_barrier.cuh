/// @file
/// @brief Broken: the tree begins before all threads have stored their values.
#pragma once

#include "../kernels.cuh"

namespace no_first_barrier {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    // the fault: no barrier here
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

}  // namespace no_first_barrier
