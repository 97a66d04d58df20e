/// @file
/// @brief Broken: threads of the last block count what is past the end of the data.
#pragma once

#include "../../common/cuda/error.cuh"
#include "../../common/problem/histogram.hpp"

namespace no_tail_guard {

__global__ void kernel(const unsigned char* d_data, unsigned long long* d_bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    atomicAdd(&d_bins[d_data[i]], 1ull);  // the fault: i may be n or more
}

inline void histogram(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                      unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(256);
    kernel<<<blocks_for(n, block), block>>>(d_data, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace no_tail_guard
