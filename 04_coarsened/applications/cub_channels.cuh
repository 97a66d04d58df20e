/// @file
/// @brief NVIDIA's histogram of several channels, CUB's, as the yardstick. There is none on the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "../../common/cub_histogram.cuh"

#ifdef __CUDACC__
/// CUB's histograms of all channels in one pass, with 32-bit counters; its workspace is made here.
template <int kChannels>
class CubChannels {
 public:
    CubChannels(const unsigned char* d_pixels, std::size_t n)
        : d_pixels_(d_pixels), n_(n), d_bins_(kChannels * kBins) {
        std::size_t bytes = 0;
        call(nullptr, bytes);
        d_workspace_ = DeviceBuffer<unsigned char>(bytes);
    }
    void run() {
        std::size_t bytes = d_workspace_.size();
        call(d_workspace_.data(), bytes);
    }

 private:
    void call(void* d_workspace, std::size_t& bytes) {
        cuda::std::array<unsigned int*, kChannels> d_bins;
        cuda::std::array<int, kChannels> levels, lower, upper;
        for (int c = 0; c < kChannels; ++c) {
            d_bins[c] = d_bins_.data() + c * kBins;
            levels[c] = static_cast<int>(kBins) + 1;
            lower[c] = 0;
            upper[c] = static_cast<int>(kBins);
        }
        const auto histogram = [&](auto n) {
            return cub::DeviceHistogram::MultiHistogramEven<kChannels, kChannels>(
                d_workspace, bytes, d_pixels_, d_bins, levels, lower, upper, n);
        };
        CUDA_CHECK(n_ <= INT_MAX / kChannels ? histogram(static_cast<int>(n_))
                                             : histogram(static_cast<long long>(n_)));
    }

    const unsigned char* d_pixels_;
    std::size_t n_;
    DeviceBuffer<unsigned int> d_bins_;
    DeviceBuffer<unsigned char> d_workspace_;
};

/// @return Runs CUB's histograms of these pixels; empty on the simulator.
inline std::function<void()> cub_channels(const unsigned char* d_pixels, std::size_t n,
                                          unsigned int channels) {
    if (channels == 1) return cub_histogram<unsigned int>(d_pixels, n);
    if (channels == 3) return [cub = std::make_shared<CubChannels<3>>(d_pixels, n)] { cub->run(); };
    return [cub = std::make_shared<CubChannels<4>>(d_pixels, n)] { cub->run(); };
}
#else
inline std::function<void()> cub_channels(const unsigned char*, std::size_t, unsigned int) { return {}; }
#endif
