/// @file
/// @brief Broken: treats the first byte of each 16-byte vector as red, but 16 is not a multiple of 3.
#pragma once

#include "../channels.cuh"

namespace first_byte_is_red {

__global__ void kernel(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[3 * kBins];
    clear_counts(counts, 3 * kBins);
    __syncthreads();

    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t whole = n * 3 / sizeof(uint4) * sizeof(uint4);
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * sizeof(uint4);
    for (std::size_t i = first; i < whole; i += threads * sizeof(uint4))
        // The fault: the channel depends on the byte's position in the vector, not in the image.
        for (unsigned int k = 0; k < sizeof(uint4); ++k)
            atomicAdd(&counts[k % 3 * kBins + d_pixels[i + k]], 1u);
    if (first == 0)
        for (std::size_t i = whole; i < n * 3; ++i) atomicAdd(&counts[i % 3 * kBins + d_pixels[i]], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < 3 * kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

}  // namespace first_byte_is_red
