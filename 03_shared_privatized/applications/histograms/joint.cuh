/// @file
/// @brief The histogram of pairs: how often two values occur together.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "../axis/axis.cuh"
#include "private_bins.cuh"

/// @brief All blocks add directly to the result, in global memory.
/// @param[out] d_bins `x_axis.bins * y_axis.bins` counts, row by row: bin (bx, by) is number
///                    `by * x_axis.bins + bx`.
template <typename T>
__global__ void __launch_bounds__(kPairBlock)
    joint_global_kernel(const T* d_x, const T* d_y, std::size_t n, BinFinder<T> x_axis, BinFinder<T> y_axis,
                        unsigned long long* d_bins) {
    for_each_pair(d_x, d_y, n, [&](T x, T y) {
        const unsigned int bx = x_axis(x), by = y_axis(y);
        if (bx != kOutside && by != kOutside) atomicAdd(&d_bins[by * x_axis.bins + bx], 1ull);
    });
}

/// @brief Each block counts in its shared memory, in `copies` copies of the bins, and merges once.
///
/// The copies of a bin are side by side, and neighbouring threads add to different ones. The counters have
/// 32 bits: `require_32_bit_counters` makes sure that no block counts further.
template <typename T>
__global__ void __launch_bounds__(kPairBlock)
    joint_shared_kernel(const T* d_x, const T* d_y, std::size_t n, BinFinder<T> x_axis, BinFinder<T> y_axis,
                        unsigned int copies, unsigned long long* d_bins) {
    extern __shared__ unsigned int counts[];
    const unsigned int bins = x_axis.bins * y_axis.bins;
    for (unsigned int k = threadIdx.x; k < bins * copies; k += blockDim.x) counts[k] = 0;
    __syncthreads();

    unsigned int* const own = &counts[threadIdx.x % copies];
    for_each_pair(d_x, d_y, n, [&](T x, T y) {
        const unsigned int bx = x_axis(x), by = y_axis(y);
        if (bx != kOutside && by != kOutside) atomicAdd(&own[(by * x_axis.bins + bx) * copies], 1u);
    });

    __syncthreads();
    merge_counts(counts, bins, copies, d_bins);
}

/// @return The number of bins of a joint histogram, one for each pair of the axes' bins.
/// @throws std::invalid_argument if there are more than `kMostBins`.
inline std::size_t joint_bins(unsigned int x_bins, unsigned int y_bins) {
    const std::size_t bins = std::size_t{x_bins} * y_bins;
    if (bins > kMostBins)
        throw std::invalid_argument(std::to_string(x_bins) + " x " + std::to_string(y_bins) +
                                    " bins are too many: at most " + std::to_string(kMostBins) +
                                    " are possible");
    return bins;
}

/// @brief Counts pairs of values in bins. Enqueues all work, including clearing the bins.
/// @param[in]  d_x    Device memory, `n` values, aligned for a `T`; the same holds for `d_y`.
/// @param[in]  n      May be 0.
/// @param[in]  x_axis A pair is dropped if either value is outside its axis.
/// @param[out] d_bins Device memory, x bins times y bins, row by row: bin (bx, by) is number
///                    `by * x_axis.bins() + bx`.
/// @throws std::invalid_argument if there are more than `kMostBins` bins or too many for `counting`, or if a
///         block could count past 32 bits; CudaError.
/// @par Source
/// B, on two-dimensional histograms: one line, for values that are neither negative nor too large.
template <typename T>
void joint_histogram(Counting counting, const T* d_x, const T* d_y, std::size_t n,
                     const DeviceAxis<T>& x_axis, const DeviceAxis<T>& y_axis, unsigned long long* d_bins,
                     LaunchShape shape = {}) {
    const std::size_t bins = joint_bins(x_axis.bins(), y_axis.bins());
    const auto launch_of = [&](auto kernel) {
        return private_launch(kernel, counting, n, bins * sizeof(unsigned int), shape);
    };
    CUDA_CHECK(cudaMemset(d_bins, 0, bins * sizeof(*d_bins)));
    if (counting == Counting::global) {
        const PrivateLaunch launch = launch_of(joint_global_kernel<T>);
        if (n == 0) return;
        joint_global_kernel<<<launch.grid, launch.block>>>(d_x, d_y, n, x_axis.on_device(),
                                                           y_axis.on_device(), d_bins);
    } else {
        const PrivateLaunch launch = launch_of(joint_shared_kernel<T>);
        require_32_bit_counters(n, launch.grid, launch.block);
        if (n == 0) return;
        joint_shared_kernel<<<launch.grid, launch.block, launch.shared_bytes>>>(
            d_x, d_y, n, x_axis.on_device(), y_axis.on_device(), launch.copies, d_bins);
    }
    CUDA_CHECK(cudaGetLastError());
}
