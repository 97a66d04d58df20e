/// @file
/// @brief Checks that a kernel adds to bins of 64 bits, and that its 32-bit counters can't overflow.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cuda/device_buffer.cuh"
#include "../problem/histogram.hpp"
#include "../problem/prepared_variant.cuh"
#include "../problem/verify.hpp"

/// @brief Checks that a kernel adds correctly to bins that start just below 2^32.
/// @param[in] bins The number of bins of the kernel.
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

/// @return Whether a variant refuses an n or a grid. The blocks are larger than CUDA allows: if the variant
///         does not refuse, the launch fails, and nothing is counted.
template <typename Problem>
bool refuses(const Variant<Problem>& variant, std::size_t n, unsigned int grid) {
    PreparedVariant<Problem> prepared(variant, n, {grid, 2048});
    const DeviceBuffer<typename Problem::Element> d_data(1);
    try {
        prepared.call(d_data.data());
    } catch (const std::invalid_argument&) {
        return true;
    } catch (const CudaError&) {
        return false;
    }
    throw std::logic_error("a launch with blocks of 2048 threads did not fail");
}

/// Whether a variant lets a block count up to the limit of 32 bits, less `slack` for uneven shares, but no
/// further.
template <typename Problem>
bool counts_to_32_bits(const Variant<Problem>& variant, std::size_t slack) {
    const std::size_t most = 0xffffffffull - slack;
    return !refuses(variant, most, 1) && refuses(variant, most + 1, 1);
}
