/// @file
/// @brief Broken: the last thread counts 16 elements even where the data have ended.
#pragma once

#include "../kernels.cuh"

namespace no_tail_guard {

__global__ void kernel(const unsigned char* d_data, std::size_t, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * kCoarsening;
    for (std::size_t i = first; i < first + kCoarsening; ++i)
        atomicAdd(&counts[d_data[i]], 1u);  // the fault: i is not compared with n

    __syncthreads();
    merge_counts(counts, d_bins);
}

}  // namespace no_tail_guard
