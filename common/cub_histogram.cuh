/// @file
/// @brief NVIDIA's own histogram, CUB's, as the yardstick. There is none on the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "cub_call.cuh"
#include "device_buffer.cuh"
#include "histogram.cuh"

#ifdef __CUDACC__
#include <climits>
#include <cub/device/device_histogram.cuh>

/// @brief CUB's 256-bin histogram of these bytes.
/// @tparam Counter 32-bit counters are the faster ones, and 64-bit counters what the course's variants give.
/// @return Runs it; empty on the simulator.
template <typename Counter>
std::function<void()> cub_histogram(const unsigned char* d_data, std::size_t n) {
    const auto d_bins = std::make_shared<DeviceBuffer<Counter>>(kBins);
    return cub_call([=](void* d_workspace, std::size_t& bytes) {
        const auto histogram = [&](auto count) {
            return cub::DeviceHistogram::HistogramEven(d_workspace, bytes, d_data, d_bins->data(),
                                                       static_cast<int>(kBins) + 1, 0,
                                                       static_cast<int>(kBins), count);
        };
        return n <= INT_MAX ? histogram(static_cast<int>(n)) : histogram(static_cast<long long>(n));
    });
}
#else
template <typename Counter>
std::function<void()> cub_histogram(const unsigned char*, std::size_t) {
    return {};
}
#endif
