/// @file
/// @brief NVIDIA's histogram of several channels, CUB's, as the yardstick. There is none on the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "../../common/bench/cub_histogram.cuh"

#ifdef __CUDACC__
/// CUB's histograms of all channels in one pass, with 32-bit counters.
template <int kChannels>
std::function<void()> cub_all_channels(const unsigned char* d_pixels, std::size_t n,
                                       const std::vector<unsigned long long>& expected) {
    const auto d_bins = std::make_shared<DeviceBuffer<unsigned int>>(kChannels * kBins);
    const auto run = cub_call([=](void* d_workspace, std::size_t& bytes) {
        cuda::std::array<unsigned int*, kChannels> d_channels;
        cuda::std::array<int, kChannels> levels, lower, upper;
        for (int c = 0; c < kChannels; ++c) {
            d_channels[c] = d_bins->data() + c * kBins;
            levels[c] = static_cast<int>(kBins) + 1;
            lower[c] = 0;
            upper[c] = static_cast<int>(kBins);
        }
        const auto histogram = [&](auto count) {
            return cub::DeviceHistogram::MultiHistogramEven<kChannels, kChannels>(
                d_workspace, bytes, d_pixels, d_channels, levels, lower, upper, count);
        };
        return n <= INT_MAX / kChannels ? histogram(static_cast<int>(n))
                                        : histogram(static_cast<long long>(n));
    });
    verify_cub(run, *d_bins, expected);
    return run;
}

/// @param[in] expected The counts of the CPU, 256 for each channel, one channel after the other.
/// @return Runs CUB's histograms of these pixels; empty on the simulator.
/// @throws std::runtime_error if CUB counts otherwise.
inline std::function<void()> cub_channels(const unsigned char* d_pixels, std::size_t n,
                                          const std::vector<unsigned long long>& expected) {
    if (expected.size() == kBins) return cub_histogram<unsigned int>(d_pixels, n, expected);
    if (expected.size() == 3 * kBins) return cub_all_channels<3>(d_pixels, n, expected);
    return cub_all_channels<4>(d_pixels, n, expected);
}
#else
inline std::function<void()> cub_channels(const unsigned char*, std::size_t,
                                          const std::vector<unsigned long long>&) {
    return {};
}
#endif
