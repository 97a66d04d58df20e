/// @file
/// @brief NVIDIA's own histogram, CUB's, as a baseline. There is none on the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "../cuda/device_buffer.cuh"
#include "../problem/histogram.hpp"
#include "bench.cuh"
#include "cub_call.cuh"

#ifdef __CUDACC__
#include <climits>
#include <cub/device/device_histogram.cuh>

/// @brief CUB's 256-bin histogram of these bytes.
/// @tparam Counter 32-bit counters are the faster ones, and 64-bit counters what the course's variants give.
/// @param[in] expected The 256 counts of the CPU, which CUB's must be.
/// @return Runs it.
/// @throws std::runtime_error if CUB counts otherwise.
template <typename Counter>
std::function<void()> cub_histogram(const unsigned char* d_data, std::size_t n, const Bins& expected) {
    const auto d_bins = std::make_shared<DeviceBuffer<Counter>>(kBins);
    const auto run = cub_call([=](void* d_workspace, std::size_t& bytes) {
        const auto histogram = [&](auto count) {
            return cub::DeviceHistogram::HistogramEven(d_workspace, bytes, d_data, d_bins->data(),
                                                       static_cast<int>(kBins) + 1, 0,
                                                       static_cast<int>(kBins), count);
        };
        return n <= INT_MAX ? histogram(static_cast<int>(n)) : histogram(static_cast<long long>(n));
    });
    verify_cub(run, *d_bins, expected);
    return run;
}

/// CUB's histograms of these bytes, with counters of 32 and of 64 bits.
inline std::vector<Job> cub_jobs(const unsigned char* d_data, std::size_t n, const Bins& expected) {
    return {{.name = kCub, .run = cub_histogram<unsigned int>(d_data, n, expected)},
            {.name = "(CUB 64-bit)", .run = cub_histogram<unsigned long long>(d_data, n, expected)}};
}
#else
inline std::vector<Job> cub_jobs(const unsigned char*, std::size_t, const Bins&) { return {}; }
#endif
