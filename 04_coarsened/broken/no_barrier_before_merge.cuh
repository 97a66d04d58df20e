/// @file
/// @brief Broken: the copies are added up while other threads still count into them.
#pragma once

#include "../kernels.cuh"

namespace no_barrier_before_merge {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    constexpr unsigned int kCopies = 32;
    __shared__ unsigned int counts[kBins * kCopies];

    unsigned int* const own = &counts[threadIdx.x % kCopies];
    for_each_byte<4>(
        d_data, n, [&] { zero_counts(counts, kBins * kCopies); },
        [&](unsigned int byte) { atomicAdd(&own[byte * kCopies], 1u); });

    // The fault: no barrier here.
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int k = 0; k < kCopies; ++k) sum += counts[b * kCopies + (k + b) % kCopies];
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum));
    }
}

}  // namespace no_barrier_before_merge
