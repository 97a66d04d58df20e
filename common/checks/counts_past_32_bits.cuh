/// @file
/// @brief Checks that a histogram's kernel adds to bins of 64 bits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../cuda/device_buffer.cuh"
#include "../problem/histogram.hpp"

/// @brief Lets a kernel add to bins that start just below 2^32, and must pass it.
/// @param[in] bins How many bins the kernel has.
/// @param[in] add  Launches the kernel, without zeroing: `add(d_data, n, d_bins)`.
template <typename Add>
std::optional<std::string> check_counts_past_32_bits(unsigned int bins, const Add& add) {
    constexpr unsigned long long kStart = 0xffffffffull;
    const std::vector<unsigned char> data = big_random_block(100003, 3);
    const Variant<Histogram> variant{.name = "", .run = nullptr, .results = bins};
    Bins expected = variant.expected(reference_histogram(data.data(), data.size()));
    for (unsigned long long& count : expected) count += kStart;
    const DeviceBuffer<unsigned char> d_data(data.size());
    const DeviceBuffer<unsigned long long> d_bins(bins);
    CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_bins.data(), Bins(bins, kStart).data(), d_bins.bytes(), cudaMemcpyHostToDevice));
    add(d_data.data(), data.size(), d_bins.data());
    CUDA_CHECK(cudaGetLastError());
    return verify_one_by_one(d_bins.to_host(), expected);
}
