/// @file
/// @brief The histogram itself, printed or written to a file.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../problem/variant.hpp"
#include "output_file.hpp"

/// Prints the ten fullest bins, fullest first.
inline void print_most_frequent(const Results& bins) {
    std::vector<std::size_t> order;
    unsigned long long total = 0;
    for (std::size_t b = 0; b < bins.size(); ++b) {
        if (bins[b] != 0) order.push_back(b);
        total += bins[b];
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return bins[a] != bins[b] ? bins[a] > bins[b] : a < b; });
    std::printf("\n%zu of %zu bins are used; the fullest (--bins PATH writes all):\n", order.size(),
                bins.size());
    if (order.size() > 10) order.resize(10);
    for (const std::size_t b : order) {
        const bool letter = bins.size() == 256 && std::isprint(static_cast<int>(b)) != 0;
        const double share = static_cast<double>(bins[b]) / static_cast<double>(total);
        std::printf("  %3zu  0x%02zx  %c %14llu  %5.1f %%  %s\n", b, b, letter ? static_cast<char>(b) : ' ',
                    bins[b], share * 100,
                    std::string(static_cast<std::size_t>(std::lround(share * 40)), '#').c_str());
    }
}

/// @brief Writes all bins as lines of `bin,count`, by `write_output`.
inline void write_bins(const std::string& path, const Results& bins) {
    std::string text = "bin,count\n";
    for (std::size_t b = 0; b < bins.size(); ++b)
        text += std::to_string(b) + "," + std::to_string(bins[b]) + "\n";
    write_output(path, text);
}
