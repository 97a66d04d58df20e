/// @file
/// @brief Broken: threads without an element store no partial sum, and the CPU adds what was there before.
#pragma once

#include "../kernels.cuh"

namespace unwritten_partials {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    if (threadIdx.x >= n) return;  // the fault: no thread stores d_partials[threadIdx.x]
    unsigned long long sum = 0;
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
}

}  // namespace unwritten_partials
