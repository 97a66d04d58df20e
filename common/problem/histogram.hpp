/// @file
/// @brief Part I: the histogram of bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "variant.hpp"

template <typename T>
struct NamedInput;
const std::vector<NamedInput<unsigned char>>& named_bytes();  // see input.hpp, which a kernel does not need

constexpr unsigned int kBins = 256;  ///< one for each value of a byte

/// A histogram's counts, in host memory.
using Bins = Results;

/// @brief The problem of `Variant<Histogram>`: how many of `n` bytes have each value.
///
/// A variant may have fewer bins, m of them, a power of two. Bin b then counts the values v with
/// ⌊v · m / 256⌋ = b.
struct Histogram {
    using Element = unsigned char;  ///< the type of the input's elements
    static constexpr const char* kName = "histogram";
    static constexpr const char* kElements = "bytes";                 ///< the elements' name in messages
    static constexpr std::size_t kResults = kBins;                    ///< numbers that a variant computes
    static constexpr std::size_t kDefaultN = std::size_t{100} << 20;  ///< as in the articles: 100 MiB
    static constexpr std::size_t kInputCopies = 1;  ///< device memory per byte of input, workspace included
    static constexpr bool kCountsFiles = true;      ///< a file's bytes can be the input

    /// The inputs for `--input`, the default first.
    static const std::vector<NamedInput<Element>>& inputs() { return named_bytes(); }

    /// The title of a table.
    static std::string title(std::size_t n) { return "Histogram of " + std::to_string(n) + " bytes"; }

    // Defined in verify.hpp, which a kernel does not need.
    /// @copydoc reference_histogram
    static Results reference(const Element* data, std::size_t n);
    /// Chapter 01's fastest loop for one core, which counts neighbouring bytes in different tables.
    static Results fast_on_cpu(const Element* data, std::size_t n);
    /// Verifies the bins without a second histogram: by their sum, then in reverse (see verify.hpp).
    static std::optional<std::string> verify(const Results& bins, const Element* data, std::size_t n);

    static std::string verdict(const Results&) { return "ok"; }  ///< the table's verdict on a correct result

    /// Says how many of the `n` elements are missing from wrong results.
    static std::string shortfall(const Results& bins, std::size_t n) {
        for (const unsigned long long count : bins) n -= count;
        return "lost " + std::to_string(n);
    }

    /// Adds what `count` equal elements contribute to the results.
    static void add(Results& bins, Element value, std::size_t count) { bins[value] += count; }
};
