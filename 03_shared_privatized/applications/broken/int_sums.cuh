/// @file
/// @brief Broken: weights are added up in 32 bits, which a few large weights overflow.
#pragma once

#include "../histograms/weighted.cuh"

namespace int_sums {

template <typename T>
__global__ void kernel(const T* d_values, const int* d_weights, std::size_t n, BinFinder<T> axis,
                       unsigned long long* d_sums) {
    extern __shared__ int sums[];  // the fault: 64 bits are needed
    for (unsigned int b = threadIdx.x; b < axis.bins; b += blockDim.x) sums[b] = 0;
    __syncthreads();
    for_each_pair(d_values, d_weights, n, [&](T value, int weight) {
        const unsigned int bin = axis(value);
        if (bin != kOutside) atomicAdd(&sums[bin], weight);
    });
    __syncthreads();
    merge_counts(sums, axis.bins, 1, d_sums);
}

}  // namespace int_sums
