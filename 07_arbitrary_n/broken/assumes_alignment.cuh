/// @file
/// @brief Broken: loads of 16 bytes from wherever the data begin.
#pragma once

#include "../kernels.cuh"

namespace assumes_alignment {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    unsigned long long sum = 0;
    if (i + 4 <= n)
        sum = square(*reinterpret_cast<const int4*>(d_data + i));  // the fault: 16 may not divide the address
    else
        for (std::size_t k = i; k < n; ++k) sum += square(d_data[k]);
    sum = block_sum(sum);
    if (threadIdx.x == 0) d_partials[blockIdx.x] = sum;
}

}  // namespace assumes_alignment
