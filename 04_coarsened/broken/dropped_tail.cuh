/// @file
/// @brief Broken: whole vectors of 16 bytes only. Up to 15 bytes at the end are not counted.
#pragma once

#include "../kernels.cuh"

namespace dropped_tail {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];

    // The fault: n rounded down to vectors, and nothing that takes the rest.
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(d_data) % sizeof(uint4);
    const std::size_t head = misaligned == 0 ? 0 : sizeof(uint4) - misaligned;
    const std::size_t whole = n < head ? n : head + (n - head) / sizeof(uint4) * sizeof(uint4);
    for_each_byte<1>(
        d_data, whole, [&] { zero_counts(counts, kBins); },
        [&](unsigned int byte) { atomicAdd(&counts[byte], 1u); });

    merge_counts(counts, d_bins);
}

}  // namespace dropped_tail
