/// @file
/// @brief Broken: each thread adds n / threads elements, and no thread adds the remainder.
/// @par Source
/// C (Caijinping 2014): `size = DATA_SIZE / THREAD_NUM`, right for its 1,048,576 elements.
#pragma once

#include "../kernels.cuh"

namespace whole_chunks {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    const std::size_t chunk = n / blockDim.x;  // the fault: rounded down
    unsigned long long sum = 0;
    for (std::size_t i = threadIdx.x * chunk; i < (threadIdx.x + 1) * chunk; ++i) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
}

}  // namespace whole_chunks
