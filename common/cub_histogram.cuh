/// @file
/// @brief NVIDIA's own histogram, CUB's, as the yardstick. There is none on the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "device_buffer.cuh"
#include "histogram.cuh"

#ifdef __CUDACC__
#include <climits>
#include <cub/device/device_histogram.cuh>

/// @brief CUB's 256-bin histogram; its workspace is made here.
/// @tparam Counter 32-bit counters are the faster ones, and 64-bit counters what the course's variants give.
template <typename Counter>
class CubHistogram {
 public:
    CubHistogram(const unsigned char* d_data, std::size_t n) : d_data_(d_data), n_(n), d_bins_(kBins) {
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
        const auto histogram = [&](auto n) {
            return cub::DeviceHistogram::HistogramEven(d_workspace, bytes, d_data_, d_bins_.data(),
                                                       static_cast<int>(kBins) + 1, 0,
                                                       static_cast<int>(kBins), n);
        };
        CUDA_CHECK(n_ <= INT_MAX ? histogram(static_cast<int>(n_)) : histogram(static_cast<long long>(n_)));
    }

    const unsigned char* d_data_;
    std::size_t n_;
    DeviceBuffer<Counter> d_bins_;
    DeviceBuffer<unsigned char> d_workspace_;
};

/// @return Runs CUB's histogram of these bytes; empty on the simulator.
template <typename Counter>
std::function<void()> cub_histogram(const unsigned char* d_data, std::size_t n) {
    return [cub = std::make_shared<CubHistogram<Counter>>(d_data, n)] { cub->run(); };
}
#else
template <typename Counter>
std::function<void()> cub_histogram(const unsigned char*, std::size_t) {
    return {};
}
#endif
