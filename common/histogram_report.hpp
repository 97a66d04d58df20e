/// @file
/// @brief The histogram itself, for a terminal and for a file, and the list of variants.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "histogram.cuh"
#include "options.hpp"
#include "verify.hpp"

/// Prints the ten fullest bins, fullest first.
inline void print_most_frequent(const Bins& bins) {
    std::vector<std::size_t> order;
    unsigned long long total = 0;
    for (std::size_t b = 0; b < bins.size(); ++b) {
        if (bins[b] != 0) order.push_back(b);
        total += bins[b];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bins[a] > bins[b]; });
    std::printf("\n%zu of %zu bins are used; the fullest (--bins PATH writes all):\n", order.size(),
                bins.size());
    if (order.size() > 10) order.resize(10);
    for (const std::size_t b : order) {
        const bool letter = bins.size() == 256 && std::isprint(static_cast<int>(b)) != 0;
        const double share = static_cast<double>(bins[b]) / static_cast<double>(total);
        std::printf("  %3zu  0x%02zx  %c %14llu  %5.1f %%  %s\n", b, b, letter ? static_cast<char>(b) : ' ',
                    bins[b], share * 100,
                    std::string(static_cast<std::size_t>(share * 40 + 0.5), '#').c_str());
    }
}

/// @brief Writes all bins as lines of `bin,count`.
/// @param[in] path A file, which is replaced; "-" is standard output.
/// @throws std::runtime_error if the file can't be written.
inline void write_bins(const std::string& path, const Bins& bins) {
    std::string text = "bin,count\n";
    for (std::size_t b = 0; b < bins.size(); ++b)
        text += std::to_string(b) + "," + std::to_string(bins[b]) + "\n";
    if (path == "-") {
        std::printf("\n%s", text.c_str());
        return;
    }
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(path + ": the histogram could not be written");
}

/// @brief Prints what a chapter's variants are: `--list`.
inline void print_variants(const std::vector<HistogramVariant>& variants) {
    for (const HistogramVariant& variant : variants) {
        std::printf("%-22s %s\n", variant.name, variant.idea);
        if (variant.wrong_because != nullptr)
            std::printf("%-22s wrong on purpose: %s\n", "", variant.wrong_because);
    }
}

/// @brief The variants that the command line asks for and that can have its launch shape.
///
/// A variant that can't have it is left out with a line on standard error that says why.
/// @throws BadOption if there is none left.
inline std::vector<HistogramVariant> choose_variants(const std::vector<HistogramVariant>& variants,
                                                     const Options& options) {
    std::vector<HistogramVariant> chosen;
    std::string left_out;
    for (const HistogramVariant& variant : variants) {
        if (!options.variant.empty() && options.variant != variant.name) continue;
        const unsigned int block = options.shape.block;
        if (variant.only_block != 0 && block != 0 && block != variant.only_block) {
            left_out = std::string("--block must be ") + std::to_string(variant.only_block) +
                       " for the variant '" + variant.name + "'";
        } else if (variant.grid_follows_n && options.shape.grid != 0) {
            left_out = std::string("--grid can't be chosen for the variant '") + variant.name +
                       "', whose grid follows from --n and --block";
        } else {
            chosen.push_back(variant);
            continue;
        }
        if (options.variant.empty()) std::fprintf(stderr, "left out: %s\n", left_out.c_str());
    }
    if (!chosen.empty()) return chosen;
    if (!left_out.empty()) throw BadOption(left_out);
    throw BadOption("--variant takes one of the names that --list gives, not '" + options.variant + "'");
}
