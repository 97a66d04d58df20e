/// @file
/// @brief Broken: adds to whatever the bins held before.
#pragma once

#include "../kernels.cuh"

namespace no_zeroing {

inline void histogram(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                      unsigned long long*, LaunchShape shape) {
    if (n == 0) return;  // the fault: cudaMalloc does not clear memory, and neither does this
    grid_stride_kernel<<<shape.grid_or(two_blocks_a_multiprocessor()), shape.block_or(kBlock)>>>(d_data, n,
                                                                                                 d_bins);
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace no_zeroing
