/// @file
/// @brief The histogram and the reduction of NVIDIA's library CUB, as baselines. The simulator has no CUB.
#pragma once

#ifdef __CUDACC__
#include <climits>
#include <cstddef>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cuda/device_buffer.cuh"
#include "../problem/histogram.hpp"
#include "../problem/sum_of_squares.cuh"
#include "measure.cuh"

/// @brief A job that calls CUB. The allocation of its workspace is not timed.
///
/// CUB first runs once and is compared with the CPU, because a wrong baseline would be meaningless.
/// @tparam Result The type of CUB's counters or sum; 32-bit ones wrap around.
/// @param[in] expected The CPU's results.
/// @param[in] call     `call(d_workspace, bytes, d_results)` calls CUB and returns its error. With a null
///                     workspace CUB only sets `bytes` to the size that it needs.
/// @throws CudaError, std::runtime_error if CUB's results differ.
template <typename Result, typename Call>
Job cub_job(const char* name, const Results& expected, const Call& call) {
    const auto d_results = std::make_shared<DeviceBuffer<Result>>(expected.size());
    std::size_t bytes = 0;
    CUDA_CHECK(call(nullptr, bytes, d_results->data()));
    const auto d_workspace = std::make_shared<DeviceBuffer<unsigned char>>(bytes);
    const auto work = [=] {
        std::size_t size = d_workspace->size();
        CUDA_CHECK(call(d_workspace->data(), size, d_results->data()));
    };
    CUDA_CHECK(cudaMemset(d_results->data(), 0xA5, d_results->bytes()));
    work();
    const std::vector<Result> got = d_results->to_host();
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (got[i] != static_cast<Result>(expected[i]))
            throw std::runtime_error("CUB is wrong: element " + std::to_string(i) + " is " +
                                     std::to_string(got[i]) + ", but the CPU computed " +
                                     std::to_string(expected[i]));
    return {.name = name, .work = work};
}

/// CUB's 256-bin histogram of bytes. 32-bit counters are faster; the course's variants use 64 bits.
template <typename Counter>
Job cub_histogram(const char* name, const unsigned char* d_data, std::size_t n, const Bins& expected) {
    return cub_job<Counter>(name, expected, [=](void* d_workspace, std::size_t& bytes, Counter* d_bins) {
        const auto histogram = [&](auto count) {
            return cub::DeviceHistogram::HistogramEven(d_workspace, bytes, d_data, d_bins,
                                                       static_cast<int>(kBins) + 1, 0,
                                                       static_cast<int>(kBins), count);
        };
        return n <= INT_MAX ? histogram(static_cast<int>(n)) : histogram(static_cast<long long>(n));
    });
}

/// CUB's histograms of these bytes, with counters of 32 and of 64 bits.
inline std::vector<Job> cub_jobs(const unsigned char* d_data, std::size_t n, const Bins& expected) {
    return {cub_histogram<unsigned int>(kCub, d_data, n, expected),
            cub_histogram<unsigned long long>("(CUB 64-bit)", d_data, n, expected)};
}

/// The function object that CUB applies to each element.
struct CubSquare {
    /// The square, in 64 bits.
    __host__ __device__ unsigned long long operator()(int value) const { return square(value); }
};
/// The function object by which CUB combines two sums.
struct CubAdd {
    /// The sum modulo 2^64.
    __host__ __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const {
        return a + b;
    }
};

/// CUB's sum of these squares, by TransformReduce on the raw pointer.
inline std::vector<Job> cub_jobs(const int* d_data, std::size_t n, const Results& expected) {
    const auto sum = [=](void* d_workspace, std::size_t& bytes, unsigned long long* d_sum) {
        return cub::DeviceReduce::TransformReduce(d_workspace, bytes, d_data, d_sum,
                                                  static_cast<long long>(n), CubAdd(), CubSquare(), 0ull);
    };
    return {cub_job<unsigned long long>(kCub, expected, sum)};
}
#endif
