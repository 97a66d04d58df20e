/// @file
/// @brief What it means for a histogram variant to be right: `check_histogram(variant)`.
///
/// A chapter's checks require nothing to be found in its own variants, and something in each kernel
/// under `broken/`. A student's kernel is held against the same function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../cuda/device.cuh"
#include "../cuda/device_buffer.cuh"
#include "../problem/histogram.cuh"
#include "../problem/input.hpp"
#include "../problem/verify.hpp"

/// One situation that a variant must come right in.
struct HistogramCase {
    std::size_t n;
    const char* input;
    std::size_t offset = 0;  ///< how many bytes past an aligned address the data begin
    LaunchShape shape{};
};

namespace check_detail {

constexpr std::size_t kFence = 16;                            ///< entries behind all others
constexpr unsigned long long kDirty = 0xA5A5A5A5A5A5A5A5ull;  ///< what the bins hold before

inline std::string describe(const HistogramCase& c) {
    return "n = " + std::to_string(c.n) + ", input " + c.input + ", offset " + std::to_string(c.offset) +
           ", grid " + (c.shape.grid != 0 ? std::to_string(c.shape.grid) : "default") + ", block " +
           (c.shape.block != 0 ? std::to_string(c.shape.block) : "default");
}

inline std::vector<unsigned char> case_data(const HistogramCase& c) {
    for (const NamedInput& input : named_inputs())
        if (std::string(c.input) == input.name) return input.make(c.n, c.n + 1);
    throw std::invalid_argument(std::string("no input ") + c.input);
}

/// Dirty bins, a workspace of zeros, and dirt behind it.
inline Bins bins_before(const HistogramVariant& variant) {
    Bins memory(variant.bins + variant.workspace + kFence, kDirty);
    std::fill_n(memory.begin() + variant.bins, variant.workspace, 0);
    return memory;
}

/// Compares the bins, and looks whether anything was written behind them and the workspace.
inline std::optional<std::string> compare(const Bins& memory, const Bins& expected) {
    const Bins bins(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(expected.size()));
    if (const auto wrong = verify_bin_by_bin(bins, expected)) return wrong;
    for (std::size_t i = memory.size() - kFence; i < memory.size(); ++i)
        if (memory[i] != kDirty) return "bin " + std::to_string(i) + ", past the last, was written";
    return std::nullopt;
}

}  // namespace check_detail

/// @brief Runs a variant twice, each time on dirty bins, and compares with the plain loop.
/// @return What was wrong, in words; nothing if all was right.
inline std::optional<std::string> check_histogram_case(const HistogramVariant& variant,
                                                       const HistogramCase& c) {
    using namespace check_detail;
    const std::vector<unsigned char> data = case_data(c);
    const Bins expected = expected_bins(variant, reference_histogram(data.data(), data.size()));
    const Bins before = bins_before(variant);
    std::optional<std::string> wrong;
    try {
        if (variant.on_cpu) {
            std::vector<unsigned char> moved(c.offset + data.size());
            std::copy(data.begin(), data.end(), moved.begin() + static_cast<std::ptrdiff_t>(c.offset));
            Bins bins = before;
            for (int call = 0; call < 2 && !wrong; ++call) {
                std::copy_n(before.begin(), variant.bins, bins.begin());
                variant.run(moved.data() + c.offset, c.n, bins.data(), c.shape);
                wrong = compare(bins, expected);
            }
        } else {
            // Just as large as needed: reading past the end is then a fault, where anyone looks for one.
            const DeviceBuffer<unsigned char> d_data(c.offset + data.size());
            const DeviceBuffer<unsigned long long> d_bins(before.size());
            if (c.n > 0)
                CUDA_CHECK(cudaMemcpy(d_data.data() + c.offset, data.data(), c.n, cudaMemcpyHostToDevice));
            CUDA_CHECK(cudaMemcpy(d_bins.data(), before.data(), d_bins.bytes(), cudaMemcpyHostToDevice));
            for (int call = 0; call < 2 && !wrong; ++call) {
                CUDA_CHECK(cudaMemcpy(d_bins.data(), before.data(), variant.bins * sizeof(before[0]),
                                      cudaMemcpyHostToDevice));
                variant.run(d_data.data() + c.offset, c.n, d_bins.data(), c.shape);
                wrong = compare(d_bins.to_host(), expected);
            }
        }
    } catch (const std::exception& error) {
        wrong = error.what();
        forget_fault();
    }
    if (wrong) return std::string(variant.name) + ", " + describe(c) + ": " + *wrong;
    return std::nullopt;
}

/// @return The sizes that break kernels: none, one, around a warp, around a block, around several blocks,
///         and one that is a multiple of nothing.
inline const std::vector<std::size_t>& telling_sizes() {
    static const std::vector<std::size_t> sizes = {0,   1,   31,    32,    33,    255,
                                                   256, 257, 32767, 32768, 32769, 1000003};
    return sizes;
}

/// @brief Checks a variant in all the situations that it claims to be right in.
/// @return The first failure that was found, in words; nothing if there was none.
inline std::optional<std::string> check_histogram(const HistogramVariant& variant) {
    std::vector<HistogramCase> cases;
    for (const std::size_t n : telling_sizes())
        for (const NamedInput& input : named_inputs()) cases.push_back({n, input.name});
    for (std::size_t offset = 1; offset < 16; ++offset)
        for (const std::size_t n : {0, 1, 15, 16, 17, 1000, 4099}) cases.push_back({n, "uniform", offset});
    for (const unsigned int block : {1, 32, 33, 96, 256, 1000, 1024}) {
        if (variant.only_block != 0 && variant.only_block != block) continue;
        cases.push_back({5003, "uniform", 0, {0, block}});
        if (variant.grid_follows_n) continue;
        for (const unsigned int grid : {1, 2, 7, 64}) cases.push_back({5003, "skewed", 3, {grid, block}});
    }
    for (const HistogramCase& c : cases)
        if (const auto wrong = check_histogram_case(variant, c)) return wrong;
    return std::nullopt;
}

/// @brief Checks that a kernel adds to 64-bit bins: they start just below 2^32 and must pass it.
/// @param[in] bins How many bins the kernel has.
/// @param[in] add  Launches the kernel, without zeroing: `add(d_data, n, d_bins)`.
template <typename Add>
std::optional<std::string> check_counts_past_32_bits(unsigned int bins, const Add& add) {
    constexpr unsigned long long kStart = 0xffffffffull;
    const std::vector<unsigned char> data = big_random_block(100003, 3);
    HistogramVariant shape{};
    shape.bins = bins;
    Bins expected = expected_bins(shape, reference_histogram(data.data(), data.size()));
    for (unsigned long long& count : expected) count += kStart;
    const DeviceBuffer<unsigned char> d_data(data.size());
    const DeviceBuffer<unsigned long long> d_bins(bins);
    CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_bins.data(), Bins(bins, kStart).data(), d_bins.bytes(), cudaMemcpyHostToDevice));
    add(d_data.data(), data.size(), d_bins.data());
    CUDA_CHECK(cudaGetLastError());
    return verify_bin_by_bin(d_bins.to_host(), expected);
}

/// @brief Checks a variant on more bytes than 31 or 32 bits can count, made in device memory.
///
/// All are 7, but for a few at the start, on both sides of 2^31, and at the end.
/// @param[in] n At least 1000.
/// @return What was wrong; nothing if all was right.
inline std::optional<std::string> check_large_histogram(const HistogramVariant& variant, std::size_t n) {
    struct Piece {
        std::size_t first, bytes;
        unsigned char value;
    };
    const std::size_t half = std::size_t{1} << 31;
    std::vector<Piece> pieces{{0, n, 7}, {0, 5, 1}, {n - 3, 3, 3}};
    if (n > half + 10) pieces.push_back({half - 1, 2, 2});

    const DeviceBuffer<unsigned char> d_data(n);
    const DeviceBuffer<unsigned long long> d_bins = device_bins(variant);
    Bins reference(kBins, 0);
    for (const Piece& piece : pieces) {
        CUDA_CHECK(cudaMemset(d_data.data() + piece.first, piece.value, piece.bytes));
        reference[piece.value] += piece.bytes;
        if (piece.bytes < n) reference[7] -= piece.bytes;
    }
    variant.run(d_data.data(), n, d_bins.data(), {});
    Bins bins = d_bins.to_host();
    bins.resize(variant.bins);
    if (const auto wrong = verify_bin_by_bin(bins, expected_bins(variant, reference)))
        return std::string(variant.name) + ", n = " + std::to_string(n) + ": " + *wrong;
    return std::nullopt;
}

/// @return Whether inputs of more than 2^32 bytes can be tried here: on a GPU, in seconds.
inline bool can_check_large() {
    const Device device = init_cuda();
    return !device.simulated && device.free_bytes > std::size_t{6} << 30;
}
