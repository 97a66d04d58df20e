/// @file
/// @brief Three ways to verify a histogram: by its sum, in reverse, and bin by bin.
///
/// Each answers what is wrong in words, or nothing if all is well.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// A histogram's counts, in host memory.
using Bins = std::vector<unsigned long long>;

/// @brief The bins of `n` elements add up to `n`. Necessary, and far from enough.
/// @par Source
/// D, "Optimizing histogram CUDA code": its first check.
inline std::optional<std::string> verify_by_sum(const Bins& bins, unsigned long long n) {
    unsigned long long sum = 0;
    for (const unsigned long long count : bins) sum += count;
    if (sum == n) return std::nullopt;
    return "the bins add up to " + std::to_string(sum) + ", not " + std::to_string(n);
}

/// @brief Runs the histogram backwards: takes each element out again until all bins are empty.
/// @param[in] bins A copy, of a power of two up to 256 bins, which is counted down.
/// @par Source
/// D, "Optimizing histogram CUDA code": its full check, which needs no second histogram.
inline std::optional<std::string> verify_in_reverse(Bins bins, const unsigned char* data, std::size_t n) {
    const std::size_t values_per_bin = 256 / bins.size();
    if (values_per_bin == 1) {
        for (std::size_t i = 0; i < n; ++i) --bins[data[i]];
    } else {
        for (std::size_t i = 0; i < n; ++i) --bins[data[i] / values_per_bin];
    }
    for (std::size_t b = 0; b < bins.size(); ++b)
        if (bins[b] != 0)
            return "bin " + std::to_string(b) +
                   " is not empty in reverse: " + std::to_string(static_cast<long long>(bins[b])) + " left";
    return std::nullopt;
}

/// @brief Compares with counts that were made another way, and names the first bin that differs.
inline std::optional<std::string> verify_bin_by_bin(const Bins& bins, const Bins& expected) {
    if (bins.size() != expected.size())
        return std::to_string(bins.size()) + " bins instead of " + std::to_string(expected.size());
    for (std::size_t b = 0; b < bins.size(); ++b)
        if (bins[b] != expected[b])
            return "bin " + std::to_string(b) + ": expected " + std::to_string(expected[b]) + ", got " +
                   std::to_string(bins[b]);
    return std::nullopt;
}
