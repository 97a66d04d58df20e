/// @file
/// @brief CUB's histogram of pairs, as a baseline. There is none on the simulator.
#pragma once

#include <cstddef>
#include <vector>

#include "../../common/bench/bench.cuh"
#include "../../common/bench/cub_call.cuh"
#include "../../common/problem/histogram.hpp"
#include "axis.cuh"

#ifdef __CUDACC__
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <memory>

/// The number of a pair's bin, or -1, which CUB drops.
template <typename T>
struct JointBinNumber {
    const T *d_x, *d_y;
    BinFinder<T> x_axis, y_axis;

    /// Of pair i: `by * x bins + bx`.
    __host__ __device__ int operator()(long long i) const {
        const unsigned int bx = x_axis(d_x[i]), by = y_axis(d_y[i]);
        return bx == kOutside || by == kOutside ? -1 : static_cast<int>(by * x_axis.bins + bx);
    }
};

/// @brief CUB has no histogram in two dimensions, so it counts bin numbers, which are computed as it reads
/// them; with 32-bit counters, its faster form.
/// @param[in] expected The CPU's counts, which CUB's must equal.
/// @return No job on the simulator, for no pairs, and for 2^32 or more.
/// @throws std::runtime_error if CUB counts otherwise.
template <typename T>
std::vector<Job> cub_jobs(const T* d_x, const T* d_y, std::size_t n, const DeviceAxis<T>& x,
                          const DeviceAxis<T>& y, const Bins& expected) {
    if (n == 0 || n > UINT32_MAX) return {};
    const auto d_bins = std::make_shared<DeviceBuffer<unsigned int>>(std::size_t{x.bins()} * y.bins());
    const JointBinNumber<T> number{d_x, d_y, x.on_device(), y.on_device()};
    const auto run = cub_call([=](void* d_workspace, std::size_t& bytes) {
        const auto numbers = thrust::make_transform_iterator(thrust::make_counting_iterator(0LL), number);
        const auto bins = static_cast<int>(d_bins->size());
        const auto histogram = [&](auto count) {
            return cub::DeviceHistogram::HistogramEven(d_workspace, bytes, numbers, d_bins->data(), bins + 1,
                                                       0, bins, count);
        };
        return n <= INT32_MAX ? histogram(static_cast<int>(n)) : histogram(static_cast<long long>(n));
    });
    verify_cub(run, *d_bins, expected);
    return {{.name = kCub, .run = run}};
}
#else
template <typename T>
std::vector<Job> cub_jobs(const T*, const T*, std::size_t, const DeviceAxis<T>&, const DeviceAxis<T>&,
                          const Bins&) {
    return {};
}
#endif
