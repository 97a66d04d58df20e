/// @file
/// @brief Broken: halves are rounded down. With an odd number of values, the last one is never added.
/// @par Source
/// E (Hobbit 2015): `p = p / 2`, and a condition on N, which does not repair it.
#pragma once

#include "../kernels.cuh"

namespace dropped_element {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? square(d_data[i]) : 0;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {  // the fault: rounded down
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

}  // namespace dropped_element
