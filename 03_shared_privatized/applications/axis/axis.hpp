/// @file
/// @brief Bins along an axis, the same as numpy's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

constexpr std::size_t kMostBins = std::size_t{1} << 26;  ///< half a GiB of 64-bit counts

/// @return The shortest of the decimals with 15, 16 or 17 digits that is read back as the same number.
inline std::string shortest(double value) {
    char text[32];
    for (int digits = 15; digits <= 17; ++digits) {
        std::snprintf(text, sizeof(text), "%.*g", digits, value);
        if (std::strtod(text, nullptr) == value) break;
    }
    return text;
}

/// @return The number with six significant digits, for people to read.
inline std::string rough(double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    return text;
}

/// Adjacent bins of equal width.
struct Axis {
    double low, high;   ///< the outer edges; finite, low < high
    unsigned int bins;  ///< 1 or more
};

constexpr unsigned int kOutside = 0xffffffff;  ///< the bin of a value outside the axis, and of NaN

/// @brief The edges of the bins: bin b contains edge[b] <= x < edge[b + 1], and the last bin also `high`.
/// @return `bins + 1` edges.
/// @par Source
/// numpy.linspace(low, high, bins + 1), with its rounding.
inline std::vector<double> edges_of(const Axis& axis) {
    const double step = (axis.high - axis.low) / axis.bins;
    std::vector<double> edges(std::size_t{axis.bins} + 1);
    for (std::size_t k = 0; k < axis.bins; ++k) edges[k] = static_cast<double>(k) * step + axis.low;
    edges.back() = axis.high;
    return edges;
}

/// Finds the bin of a value by a binary search among the edges: slow, but obviously right.
struct EdgeSearch {
    std::vector<double> edges;
    unsigned int bins;

    /// Computes the edges of the axis.
    explicit EdgeSearch(const Axis& axis) : edges(edges_of(axis)), bins(axis.bins) {}

    /// @return The bin, or `kOutside`.
    unsigned int operator()(double value) const {
        if (!(value >= edges.front() && value <= edges.back())) return kOutside;
        const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
        return static_cast<unsigned int>(above - edges.begin()) - 1;
    }
};
