/// @file
/// @brief Broken: the copies are added up while other threads still count into them.
#pragma once

#include "../kernels.cuh"

namespace no_barrier_before_merge {

__global__ void kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    constexpr unsigned int kCopies = 32;
    __shared__ unsigned int counts[kBins * kCopies];

    clear_counts(counts, kBins * kCopies);
    __syncthreads();

    unsigned int* const own = &counts[threadIdx.x % kCopies];
    const Vectors vectors = vectors_of(d_data, n);
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors.count; i += threads)
        count_16<kCopies>(own, vectors.data[i]);
    count_ends<kCopies>(own, d_data, n, vectors);

    // The fault: no barrier here.
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) {
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum_of_copies<kCopies>(counts, b)));
    }
}

}  // namespace no_barrier_before_merge
