/// @file
/// @brief Broken: loads 16 bytes from the start of the data, even if that is not a multiple of 16.
#pragma once

#include "../kernels.cuh"

namespace assumes_alignment {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    const uint4* const vectors = reinterpret_cast<const uint4*>(d_data);  // the fault: not aligned
    const std::size_t whole = n / sizeof(uint4);
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = thread; i < whole; i += threads) count_16(counts, __ldcs(&vectors[i]));
    for (std::size_t i = whole * sizeof(uint4) + thread; i < n; i += threads)
        atomicAdd(&counts[d_data[i]], 1u);

    __syncthreads();
    merge_counts(counts, d_bins);
}

}  // namespace assumes_alignment
