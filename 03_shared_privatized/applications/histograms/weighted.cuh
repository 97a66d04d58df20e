/// @file
/// @brief The weighted histogram: each value adds its weight to its bin.
///
/// Sums of integers in 64-bit counters are exact modulo 2^64. Sums of floating-point weights in `float` or
/// `double` counters depend on the order of the additions, within a bound that `expected_sum` computes. In
/// fixed point (64-bit integers in units of 2^-k), they are the same in any order.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "../axis/axis.cuh"
#include "private_bins.cuh"

/// @brief What a weight adds to a counter.
/// @param[in] scale For fixed point: how many units make 1.
template <typename Counter, typename Weight>
__device__ Counter amount_of(Weight weight, double scale) {
    if constexpr (std::is_integral<Counter>::value && std::is_floating_point<Weight>::value)
        return static_cast<Counter>(llrint(static_cast<double>(weight) * scale));
    else
        return static_cast<Counter>(weight);  // a negative integer as its value modulo 2^64
}

/// All blocks add directly to the result, in global memory.
template <typename T, typename Weight, typename Counter>
__global__ void __launch_bounds__(kPairBlock)
    weighted_global_kernel(const T* d_values, const Weight* d_weights, std::size_t n, BinFinder<T> axis,
                           double scale, Counter* d_sums) {
    for_each_pair(d_values, d_weights, n, [&](T value, Weight weight) {
        const unsigned int bin = axis(value);
        if (bin != kOutside) atomicAdd(&d_sums[bin], amount_of<Counter>(weight, scale));
    });
}

/// Each block adds in its shared memory, in `copies` copies of the bins, and merges once.
template <typename T, typename Weight, typename Counter>
__global__ void __launch_bounds__(kPairBlock)
    weighted_shared_kernel(const T* d_values, const Weight* d_weights, std::size_t n, BinFinder<T> axis,
                           double scale, unsigned int copies, Counter* d_sums) {
    // One type for all counters: all instantiations share this name, which can have only one type.
    extern __shared__ unsigned long long memory[];
    Counter* const sums = reinterpret_cast<Counter*>(memory);
    for (unsigned int k = threadIdx.x; k < axis.bins * copies; k += blockDim.x) sums[k] = 0;
    __syncthreads();

    Counter* const own = &sums[threadIdx.x % copies];
    for_each_pair(d_values, d_weights, n, [&](T value, Weight weight) {
        const unsigned int bin = axis(value);
        if (bin != kOutside) atomicAdd(&own[bin * copies], amount_of<Counter>(weight, scale));
    });

    __syncthreads();
    merge_counts(sums, axis.bins, copies, d_sums);
}

/// @brief Adds up weights by the bins of their values. Enqueues all work, including clearing the sums.
///
/// The bins are private to each block if they fit into its shared memory.
/// @tparam Weight  `int`, `long long`, `float` or `double`.
/// @tparam Counter `unsigned long long` for integers and for fixed point, else `float` or `double`.
/// @param[in]  d_values  Device memory, `n` values, aligned for a `T`; the same holds for `d_weights`.
/// @param[in]  axis      A value outside it is dropped.
/// @param[out] d_sums    Device memory, `axis.bins()` sums; integers as their value modulo 2^64.
/// @param[in]  scale     For fixed point: `fixed_point_scale`.
/// @throws std::invalid_argument if there are more than `kMostBins` bins; CudaError.
/// @par Source
/// B, on weighted histograms: one line, `atomicAdd(&histogram[data[i]], weight[i])`.
template <typename T, typename Weight, typename Counter>
void weighted_histogram(const T* d_values, const Weight* d_weights, std::size_t n, const DeviceAxis<T>& axis,
                        Counter* d_sums, double scale = 1, LaunchShape shape = {}) {
    if (axis.bins() > kMostBins)
        throw std::invalid_argument(std::to_string(axis.bins()) + " bins are too many: at most " +
                                    std::to_string(kMostBins) + " are possible");
    const std::size_t bytes = axis.bins() * sizeof(Counter);
    CUDA_CHECK(cudaMemset(d_sums, 0, bytes));
    if (n == 0) return;
    if (copies_that_fit(bytes, shape.block_or(kPairBlock)) == 0) {
        const auto kernel = weighted_global_kernel<T, Weight, Counter>;
        const PrivateLaunch launch = private_launch(kernel, Counting::global, n, bytes, shape);
        kernel<<<launch.grid, launch.block>>>(d_values, d_weights, n, axis.on_device(), scale, d_sums);
    } else {
        const auto kernel = weighted_shared_kernel<T, Weight, Counter>;
        const PrivateLaunch launch = private_launch(kernel, Counting::copies, n, bytes, shape);
        kernel<<<launch.grid, launch.block, launch.shared_bytes>>>(d_values, d_weights, n, axis.on_device(),
                                                                   scale, launch.copies, d_sums);
    }
    CUDA_CHECK(cudaGetLastError());
}

/// @brief How many units of fixed point make 1: a power of two with which no sum can overflow.
///
/// Each weight is rounded to a whole number of units, by at most half a unit.
/// @param[in] magnitudes The sum of all weights' absolute values, to a few digits.
/// @throws std::invalid_argument if the sum is not finite, or is above 0 but below 2^-962, which needs a
///         scale that is too large for a double.
inline double fixed_point_scale(double magnitudes) {
    if (!std::isfinite(magnitudes)) throw std::invalid_argument("the weights do not have a finite sum");
    if (magnitudes == 0) return 1;
    // The sum is less than 2^62 units. Rounding changes a weight by at most half a unit, so 2^63 weights add
    // at most another 2^62.
    const double scale = std::ldexp(1.0, 61 - std::ilogb(magnitudes));
    if (std::isinf(scale))
        throw std::invalid_argument(
            "the weights are too small for fixed point: their absolute values add up to " +
            rough(magnitudes) + ", less than " + rough(0x1p-962) + "; write them in a smaller unit");
    return scale;
}
