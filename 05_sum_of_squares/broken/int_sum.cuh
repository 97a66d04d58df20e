/// @file
/// @brief Broken: squares and sums in 32 bits. The article's data fit; more or larger values do not.
/// @par Source
/// C (Caijinping 2014): `int tmp_sum`, and `data[i] * data[i]`.
#pragma once

#include "../kernels.cuh"

namespace int_sum {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    unsigned int sum = 0;  // the fault: 32 bits (unsigned, so that the overflow is defined)
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) {
        const auto value = static_cast<unsigned int>(d_data[i]);
        sum += value * value;
    }
    d_partials[threadIdx.x] = sum;
}

}  // namespace int_sum
