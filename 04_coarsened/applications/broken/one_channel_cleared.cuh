/// @file
/// @brief Broken: clears the counters of one channel, but counts three.
#pragma once

#include "../channels.cuh"

namespace one_channel_cleared {

__global__ void kernel(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[3 * kBins];
    // The fault: the counters of green and blue start with whatever was there before.
    clear_counts(counts, kBins);
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        for (unsigned int c = 0; c < 3; ++c) atomicAdd(&counts[c * kBins + d_pixels[i * 3 + c]], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < 3 * kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

}  // namespace one_channel_cleared
