/// @file
/// @brief Three ways to verify results: by their sum, in reverse, and one by one.
///
/// Each returns what is wrong, in words, or nothing if all is well.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "variant.hpp"

/// @brief The bins of `n` elements add up to `n`. Necessary, and far from sufficient.
/// @par Source
/// D, "Optimizing histogram CUDA code": its first check.
inline std::optional<std::string> verify_by_sum(const Results& bins, unsigned long long n) {
    unsigned long long sum = 0;
    for (const unsigned long long count : bins) sum += count;
    if (sum == n) return std::nullopt;
    return "the bins add up to " + std::to_string(sum) + ", not " + std::to_string(n);
}

/// @brief Runs the histogram backwards: takes each element out again until all bins are empty.
/// @param[in] bins A copy, of a power of two up to 256 bins, which is counted down.
/// @par Source
/// D, "Optimizing histogram CUDA code": its full check, which needs no second histogram.
inline std::optional<std::string> verify_in_reverse(Results bins, const unsigned char* data, std::size_t n) {
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

/// @brief Compares with results that were computed another way, and names the first that differs.
inline std::optional<std::string> verify_one_by_one(const Results& results, const Results& expected) {
    if (results.size() != expected.size())
        return std::to_string(results.size()) + " results instead of " + std::to_string(expected.size());
    for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i] != expected[i])
            return (results.size() > 1 ? "bin " + std::to_string(i) + ": " : "") + "expected " +
                   std::to_string(expected[i]) + ", got " + std::to_string(results[i]);
    return std::nullopt;
}
