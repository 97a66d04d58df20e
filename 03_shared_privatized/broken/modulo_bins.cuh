/// @file
/// @brief Broken: a different histogram. Eight bins by the lowest bits instead of the highest.
/// @par Source
/// B, which takes `data % 8` in its register kernel and compares it with the 256-bin kernels.
#pragma once

#include "../kernels.cuh"

namespace modulo_bins {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    unsigned int counts[kFewBins] = {};
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        ++counts[d_data[i] % kFewBins];  // the fault: these bins are not ranges of values

    for (unsigned int b = 0; b < kFewBins; ++b)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

}  // namespace modulo_bins
