/// @file
/// @brief CUB's histogram of pairs, as a baseline. The simulator has no CUB.
#pragma once

#ifdef __CUDACC__
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <climits>
#include <cstddef>
#include <cub/device/device_histogram.cuh>

#include "../../../common/bench/cub.cuh"
#include "../axis/axis.cuh"

/// The number of a pair's bin, or -1, which CUB drops.
template <typename T>
struct JointBinNumber {
    const T *d_x, *d_y;
    BinFinder<T> x_axis, y_axis;

    /// The bin of pair i: `by * x_axis.bins + bx`, or -1 if the pair is outside.
    __host__ __device__ int operator()(long long i) const {
        const unsigned int bx = x_axis(d_x[i]), by = y_axis(d_y[i]);
        return bx == kOutside || by == kOutside ? -1 : static_cast<int>(by * x_axis.bins + bx);
    }
};

/// @brief Counts pairs by CUB. CUB has no two-dimensional histogram, so it counts the numbers of the pairs'
///        bins, which an iterator computes as CUB reads them. 32-bit counters are faster.
/// @param[in] n 1 to 2^32 - 1.
template <typename T>
Job cub_joint(const JointBinNumber<T>& number, std::size_t n, const Results& expected) {
    const auto bins = static_cast<int>(expected.size());
    return cub_job<unsigned int>(
        kCub, expected, [=](void* d_workspace, std::size_t& bytes, unsigned int* d_bins) {
            const auto numbers = thrust::make_transform_iterator(thrust::make_counting_iterator(0LL), number);
            const auto histogram = [&](auto count) {
                return cub::DeviceHistogram::HistogramEven(d_workspace, bytes, numbers, d_bins, bins + 1, 0,
                                                           bins, count);
            };
            return n <= INT_MAX ? histogram(static_cast<int>(n)) : histogram(static_cast<long long>(n));
        });
}
#endif
