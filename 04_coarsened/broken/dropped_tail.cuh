/// @file
/// @brief Broken: whole vectors of 16 bytes only. Up to 15 bytes at the end are not counted.
#pragma once

#include "../kernels.cuh"

namespace dropped_tail {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    // The fault: n is rounded down to whole vectors, and no thread counts the rest.
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(d_data) % sizeof(uint4);
    const std::size_t head = misaligned == 0 ? 0 : sizeof(uint4) - misaligned;
    const std::size_t rounded = n < head ? n : head + (n - head) / sizeof(uint4) * sizeof(uint4);
    const Vectors vectors = vectors_of(d_data, rounded);
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors.count; i += threads)
        count_16(counts, vectors.data[i]);
    count_ends(counts, d_data, rounded, vectors);

    __syncthreads();
    merge_counts(counts, d_bins);
}

}  // namespace dropped_tail
