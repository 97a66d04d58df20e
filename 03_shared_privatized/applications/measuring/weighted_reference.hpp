/// @file
/// @brief What a weighted histogram should contain, and how large its rounding errors can be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../axis/axis.hpp"

/// A sum that also adds up the rounding errors of its additions, which gives twice the digits.
struct ExactSum {
    long double sum = 0, rest = 0;

    /// @par Source
    /// Neumaier, *Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen*, 1974.
    void add(long double term) {
        const long double total = sum + term;
        rest += std::fabs(sum) >= std::fabs(term) ? (sum - total) + term : (term - total) + sum;
        sum = total;
    }
    /// The sum, corrected by its rounding errors.
    long double value() const { return sum + rest; }
};

/// What is known about the weights in one bin.
struct ReferenceSum {
    ExactSum sum;
    unsigned long long integer = 0;  ///< for integer weights: the sum modulo 2^64
    long double magnitudes = 0;      ///< the sum of the weights' absolute values
    std::size_t terms = 0;

    /// Adds a weight.
    template <typename Weight>
    void operator+=(Weight weight) {
        sum.add(weight);
        if (std::is_integral_v<Weight>) integer += static_cast<unsigned long long>(weight);
        magnitudes += std::fabs(static_cast<long double>(weight));
        ++terms;
    }
    /// Adds the weights that another core has added up.
    void operator+=(const ReferenceSum& other) {
        sum.add(other.sum.sum);
        sum.add(other.sum.rest);
        integer += other.integer;
        magnitudes += other.magnitudes;
        terms += other.terms;
    }
};

/// A sum, and how far a result may differ from it.
struct ExpectedSum {
    long double exact;
    double bound;  ///< infinity if nothing is guaranteed
};

/// @brief What `weighted_histogram<T, Weight, Counter>` guarantees for a bin.
///
/// Integers are exact modulo 2^64. In fixed point each term is off by half a unit at most. With float or
/// double counters, m terms and unit roundoff u, the error is at most gamma(m - 1) times the sum of the
/// terms' absolute values, in any order of the additions, where gamma(k) = k u / (1 - k u). If weights
/// must first be rounded to the counter's type, k is larger by one. If k u reaches 1, or the counter may
/// overflow, nothing is guaranteed.
/// @par Source
/// Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition 2002, section 4.2.
template <typename Weight, typename Counter>
ExpectedSum expected_sum(const ReferenceSum& bin, double scale) {
    if (std::is_integral_v<Weight>) return {static_cast<long double>(static_cast<long long>(bin.integer)), 0};
    if (std::is_integral_v<Counter>) return {bin.sum.value(), static_cast<double>(bin.terms) / 2 / scale};
    using Limits = std::numeric_limits<Counter>;
    constexpr bool kRounded = Limits::digits < std::numeric_limits<Weight>::digits;
    const long double k = static_cast<long double>(std::max<std::size_t>(bin.terms, 1)) - (kRounded ? 0 : 1);
    const long double ku = k * static_cast<long double>(Limits::epsilon()) / 2, gamma = ku / (1 - ku);
    if (ku >= 1 || bin.magnitudes * (1 + gamma) > static_cast<long double>(Limits::max()))
        return {bin.sum.value(), INFINITY};
    // Atomics on floats in global memory may treat a subnormal number as zero.
    const long double subnormal =
        static_cast<long double>(bin.terms) * static_cast<long double>(Limits::min());
    return {bin.sum.value(), static_cast<double>(gamma * bin.magnitudes + subnormal)};
}

/// The bins' sums as numbers, whatever the counters' type is.
using Sums = std::vector<long double>;

/// @return The numbers that counters stand for; exact if a long double has at least 64 bits of precision.
template <typename Weight, typename Counter>
Sums numbers_of(const std::vector<Counter>& counters, double scale) {
    if constexpr (std::is_floating_point_v<Counter>) return {counters.begin(), counters.end()};
    Sums sums;
    for (const Counter counter : counters)
        sums.push_back(static_cast<long double>(static_cast<long long>(counter)) /
                       (std::is_integral_v<Weight> ? 1 : static_cast<long double>(scale)));
    return sums;
}

/// @brief Looks for a sum whose error exceeds its bound.
/// @return The first one, in words; nothing if there is none.
inline std::optional<std::string> verify_sums(const Sums& sums, const std::vector<ExpectedSum>& expected) {
    if (sums.size() != expected.size())
        return std::to_string(sums.size()) + " bins instead of " + std::to_string(expected.size());
    for (std::size_t b = 0; b < sums.size(); ++b) {
        const long double error = std::fabs(sums[b] - expected[b].exact);
        if (std::isinf(expected[b].bound) || error <= static_cast<long double>(expected[b].bound)) continue;
        return "bin " + std::to_string(b) + ": expected " + rough(static_cast<double>(expected[b].exact)) +
               ", off by " + rough(static_cast<double>(error)) + ", more than " + rough(expected[b].bound);
    }
    return std::nullopt;
}
