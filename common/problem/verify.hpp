/// @file
/// @brief The histogram on the CPU, and three verifications of results: by their sum, in reverse, and one by
/// one.
///
/// Each verification returns a description of the first error, or nothing if the results are correct.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cores.hpp"
#include "histogram.hpp"

/// @brief The reference: the simplest possible loop, which shares no code with the variants.
/// @return 256 counts.
inline Bins reference_histogram(const unsigned char* data, std::size_t n) {
    Bins bins(kBins, 0);
    for (std::size_t i = 0; i < n; ++i) ++bins[data[i]];
    return bins;
}

inline Results Histogram::reference(const Element* data, std::size_t n) {
    return reference_histogram(data, n);
}

inline Results Histogram::fast_on_cpu(const Element* data, std::size_t n) {
    std::array<std::array<unsigned long long, kBins>, 4> tables{};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t t = 0; t < 4; ++t) ++tables[t][data[i + t]];
    for (; i < n; ++i) ++tables[0][data[i]];
    Results bins(kBins, 0);
    for (const auto& table : tables)
        for (std::size_t b = 0; b < kBins; ++b) bins[b] += table[b];
    return bins;
}

/// @brief Checks that the bins of `n` elements add up to `n`, which is necessary but far from sufficient.
/// @par Source
/// D, "Optimizing histogram CUDA code": its first check.
inline std::optional<std::string> verify_by_sum(const Results& bins, unsigned long long n) {
    unsigned long long sum = 0;
    for (const unsigned long long count : bins) sum += count;
    if (sum == n) return std::nullopt;
    return "the bins add up to " + std::to_string(sum) + ", not " + std::to_string(n);
}

/// @brief Runs the histogram in reverse: subtracts each element from its bin, which must leave 0 in all bins.
///
/// Each core subtracts its share of the elements from its own table of zeros, which wraps around.
/// @param[in] bins A copy, which is counted down; at most 256 bins, a power of two.
/// @par Source
/// D, "Optimizing histogram CUDA code": its full check, which needs no second histogram.
inline std::optional<std::string> verify_in_reverse(Results bins, const unsigned char* data, std::size_t n) {
    const int shift = std::countr_zero(256 / bins.size());
    const auto subtract = [&](std::size_t first, std::size_t count) {
        Results own(bins.size(), 0);
        for (std::size_t i = first; i < first + count; ++i) --own[data[i] >> shift];
        return own;
    };
    for (const Results& own : on_cores(core_count(), n, subtract))
        for (std::size_t b = 0; b < bins.size(); ++b) bins[b] += own[b];
    for (std::size_t b = 0; b < bins.size(); ++b)
        if (bins[b] != 0)
            return "bin " + std::to_string(b) + " is not 0 after subtracting all elements: " +
                   std::to_string(static_cast<long long>(bins[b])) + " left";
    return std::nullopt;
}

inline std::optional<std::string> Histogram::verify(const Results& bins, const Element* data, std::size_t n) {
    const auto wrong = verify_by_sum(bins, n);
    return wrong ? wrong : verify_in_reverse(bins, data, n);
}

/// The byte that fills memory in which nothing was written, the poison.
constexpr unsigned char kUnwritten = 0xA5;
/// The byte that fills local variables of a student's code that have no value, as the compiler chooses
/// (exercise.cmake).
#ifdef __clang__
constexpr unsigned char kUnset = 0xAA;
#else
constexpr unsigned char kUnset = 0xFE;
#endif

/// @return Whether a wrong result includes numbers whose bytes are all `byte`.
///
/// Sums of fewer than 2^20 such numbers of 64 or 32 bits are recognized, as are such sums of 32-bit totals,
/// each of up to 32 such numbers.
inline bool includes_number_of(unsigned char byte, unsigned long long got, unsigned long long expected) {
    constexpr unsigned long long kMostTimes = 1 << 20;
    const unsigned long long wide = byte * 0x0101010101010101ull, narrow = wide >> 32;
    const auto is_few_times = [](unsigned long long sum, unsigned long long number) {
        return sum != 0 && sum % number == 0 && sum / number < kMostTimes;
    };
    const auto includes = [&](unsigned long long excess) {
        bool found = is_few_times(-excess, 0x100000000ull - narrow);  // negative numbers
        for (unsigned int numbers = 1; numbers <= 32; ++numbers)      // their total also has 32 bits
            found = found || is_few_times(excess, static_cast<std::uint32_t>(numbers * narrow));
        // 17 times 0xA5A5A5A5A5A5A5A5 is -11 modulo 2^64: a small difference may have any cause.
        if (excess + kMostTimes < 2 * kMostTimes) return found;
        for (unsigned long long times = 1; times < kMostTimes && !found; ++times)
            found = times * wide == excess;
        return found;
    };
    return includes(got) || includes(got - expected);
}

/// @return Whether a wrong result includes a local variable to which nothing was assigned.
inline bool includes_unset(unsigned long long got, unsigned long long expected) {
    return includes_number_of(kUnset, got, expected);
}

/// @return Whether a wrong result includes memory that was read before it was written.
inline bool includes_poison(unsigned long long got, unsigned long long expected) {
    return includes_number_of(kUnwritten, got, expected);
}

/// @return An explanation of a wrong result that includes such a value; otherwise empty.
inline std::string poison_text(unsigned long long got, unsigned long long expected) {
    if (got == kUnwritten * 0x0101010101010101ull)
        return ", which is 0xA5A5A5A5A5A5A5A5, the fill pattern of unwritten memory";
    if (includes_poison(got, expected))
        return ", which includes 0xA5A5A5A5, the fill pattern of unwritten memory";
    if (includes_unset(got, expected))
        return ", which includes a local variable that was used before it had a value";
    return "";
}

/// A result that is wrong.
struct Difference {
    std::size_t index;
    unsigned long long got, expected;
    /// @return The message about this result; it names the bin if there are several `results`.
    std::string text(std::size_t results) const {
        return (results > 1 ? "bin " + std::to_string(index) + ": " : "") + "expected " +
               std::to_string(expected) + ", got " + std::to_string(got) + poison_text(got, expected);
    }
};

/// @brief Compares results with as many expected ones. @return The first difference; nothing if there is
/// none.
inline std::optional<Difference> first_difference(const Results& results, const Results& expected) {
    for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i] != expected[i]) return Difference{i, results[i], expected[i]};
    return std::nullopt;
}

/// @brief Compares results with the expected ones, and names the first difference.
inline std::optional<std::string> verify_one_by_one(const Results& results, const Results& expected) {
    if (results.size() != expected.size())
        return std::to_string(results.size()) + " results instead of " + std::to_string(expected.size());
    const auto wrong = first_difference(results, expected);
    if (!wrong) return std::nullopt;
    return wrong->text(results.size());
}
