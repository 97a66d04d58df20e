/// @file
/// @brief CUB's histogram of several channels, as a baseline. The simulator has no CUB.
#pragma once

#ifdef __CUDACC__
#include <climits>
#include <cstddef>
#include <cub/device/device_histogram.cuh>
#include <vector>

#include "../../common/bench/cub.cuh"
#include "channels.hpp"

/// CUB's histograms of all channels in one pass, with 32-bit counters.
template <unsigned int kChannels>
std::vector<Job> cub_jobs(const Pixel<kChannels>* d_pixels, std::size_t n, const Bins& expected) {
    const auto call = [=](void* d_workspace, std::size_t& bytes, unsigned int* d_bins) {
        cuda::std::array<unsigned int*, kChannels> d_channels;
        cuda::std::array<int, kChannels> levels, lower, upper;
        for (unsigned int c = 0; c < kChannels; ++c) {
            d_channels[c] = d_bins + c * kBins;
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
    };
    return {cub_job<unsigned int>(kCub, expected, call)};
}
#endif
