/// @file
/// @brief Broken: threads without an element leave their partial sum as it was, and it is added up.
#pragma once

#include "../kernels.cuh"

namespace unwritten_partials {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    if (threadIdx.x >= n) return;  // the fault: nobody writes d_partials[threadIdx.x]
    unsigned long long sum = 0;
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
}

}  // namespace unwritten_partials
