/// @file
/// @brief Broken: bins of 8 bytes, cleared as if they had 4.
/// @par Source
/// D, "Optimizing histogram CUDA code", allocates 256 longs and clears 256 ints. Its kernel counts in ints,
/// so nothing goes wrong until someone makes the bins as wide as they were allocated.
#pragma once

#include "../kernels.cuh"

namespace half_cleared {

inline void histogram(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                      unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(int)));  // the fault: half of the bins keep their values
    if (n == 0) return;
    grid_stride_kernel<<<shape.grid_or(two_blocks_a_multiprocessor()), shape.block_or(kBlock)>>>(d_data, n,
                                                                                                 d_bins);
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace half_cleared
