/// @file
/// @brief Broken: blocks add to the lower 32 bits of the bins only, so carries are lost.
#pragma once

#include "../kernels.cuh"

namespace merge_in_32_bits {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(reinterpret_cast<unsigned int*>(&d_bins[b]), counts[b]);  // the fault: 32 of the 64 bits
}

}  // namespace merge_in_32_bits
