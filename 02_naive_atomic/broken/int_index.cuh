/// @file
/// @brief Broken: a 32-bit index, which becomes negative past 2^31 elements.
/// @par Source
/// A (jonny_super 2014) and D, "Optimizing histogram CUDA code": `int i` against a `long size`.
#pragma once

#include "../kernels.cuh"

namespace int_index {

__global__ void kernel(const unsigned char* d_data, long long n, unsigned long long* d_bins) {
    int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
    const int stride = static_cast<int>(blockDim.x * gridDim.x);
    while (i >= 0 && i < n) {  // i >= 0 keeps the fault from reading outside the memory
        atomicAdd(&d_bins[d_data[i]], 1ull);
        i = static_cast<int>(static_cast<unsigned int>(i) + static_cast<unsigned int>(stride));  // the fault
    }
}

inline void histogram(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                      unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    kernel<<<shape.grid_or(two_blocks_a_multiprocessor()), shape.block_or(kBlock)>>>(
        d_data, static_cast<long long>(n), d_bins);
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace int_index
