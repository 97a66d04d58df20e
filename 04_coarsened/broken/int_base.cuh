/// @file
/// @brief Broken: a first index of 32 bits, multiplied by the coarsening before it is widened.
/// @par Source
/// B: `int base = (blockIdx.x * blockDim.x + threadIdx.x) * COARSEN_FACTOR`.
#pragma once

#include "../kernels.cuh"

namespace int_base {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    // The fault: past 2^32 elements, the product loses its highest bits and starts again at 0.
    const unsigned int base = (blockIdx.x * blockDim.x + threadIdx.x) * kCoarsening;
    for (std::size_t i = base; i < std::size_t{base} + kCoarsening; ++i)
        if (i < n) atomicAdd(&counts[d_data[i]], 1u);

    __syncthreads();
    merge_counts(counts, d_bins);
}

}  // namespace int_base
