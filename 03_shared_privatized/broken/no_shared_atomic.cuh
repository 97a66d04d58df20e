/// @file
/// @brief Broken: a plain ++ in shared memory. The threads of a block lose each other's counts.
#pragma once

#include "../kernels.cuh"

namespace no_shared_atomic {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        ++counts[d_data[i]];  // the fault: other threads can come between its load and its store

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

}  // namespace no_shared_atomic
