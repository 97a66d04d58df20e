/// @file
/// @brief CUB's histogram of several channels, as a baseline. There is none on the simulator.
#pragma once

#include <climits>
#include <cstddef>
#include <memory>
#include <vector>

#include "../../common/bench/bench.cuh"
#include "../../common/bench/cub_call.cuh"
#include "channels.hpp"

#ifdef __CUDACC__
#include <cub/device/device_histogram.cuh>

/// @brief CUB's histograms of all channels in one pass, with 32-bit counters.
/// @param[in] expected The counts of the CPU.
/// @throws std::runtime_error if CUB counts otherwise.
template <unsigned int kChannels>
std::vector<Job> cub_jobs(const Pixel<kChannels>* d_pixels, std::size_t n, const Bins& expected) {
    const auto d_bins = std::make_shared<DeviceBuffer<unsigned int>>(kChannels * kBins);
    const auto run = cub_call([=](void* d_workspace, std::size_t& bytes) {
        cuda::std::array<unsigned int*, kChannels> d_channels;
        cuda::std::array<int, kChannels> levels, lower, upper;
        for (unsigned int c = 0; c < kChannels; ++c) {
            d_channels[c] = d_bins->data() + c * kBins;
            levels[c] = static_cast<int>(kBins) + 1;
            lower[c] = 0;
            upper[c] = static_cast<int>(kBins);
        }
        const auto histogram = [&](auto count) {
            return cub::DeviceHistogram::MultiHistogramEven<kChannels, kChannels>(
                d_workspace, bytes, d_pixels->channel, d_channels, levels, lower, upper, count);
        };
        return n <= INT_MAX / kChannels ? histogram(static_cast<int>(n))
                                        : histogram(static_cast<long long>(n));
    });
    verify_cub(run, *d_bins, expected);
    return {{.name = kCub, .run = run}};
}
#else
template <unsigned int kChannels>
std::vector<Job> cub_jobs(const Pixel<kChannels>*, std::size_t, const Bins&) {
    return {};
}
#endif
