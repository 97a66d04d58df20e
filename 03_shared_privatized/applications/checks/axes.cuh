/// @file
/// @brief Checks of axes: which bin a value is in.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../axis/axis.cuh"
#include "../options.hpp"
#include "cases.cuh"

namespace pair_checks {

/// Compares finders for random axes with a search among the edges, on values that are hard to place.
/// @return The first difference, in words; nothing if there is none.
template <typename T>
std::optional<std::string> check_finders(std::size_t axes) {
    Random random(7);
    std::size_t accepted = 0;
    for (std::size_t k = 0; accepted < axes && k < 20 * axes; ++k) {
        const double low = (fraction(random) - 0.5) * std::exp2(static_cast<double>(random() % 24) - 8);
        const double range = fraction(random) * std::exp2(static_cast<double>(random() % 24) - 12);
        const Axis axis{low, low + range, static_cast<unsigned int>(1 + random() % 1000)};
        std::vector<T> table;
        BinFinder<T> finder{};
        try {
            finder = bin_finder<T>(axis, nullptr);
            table = edge_table<T>(axis);
        } catch (const std::invalid_argument&) {
            continue;
        }
        ++accepted;
        finder.edges = table.data();
        const EdgeSearch search(axis);
        for (const T value : hard_values<T>(axis, 500, k)) {
            const unsigned int expected = search(value), got = finder(value);
            if (got != expected)
                return describe(axis) + ": " + shortest(value) + " is in bin " + std::to_string(expected) +
                       ", got " + std::to_string(got);
        }
    }
    if (accepted < axes) return "only " + std::to_string(accepted) + " axes were accepted";
    return std::nullopt;
}

TEST_CASE("arithmetic finds the bin that a search among the edges finds, for floats and doubles") {
    CHECK(check_finders<float>(300).value_or("") == "");
    CHECK(check_finders<double>(300).value_or("") == "");
}

TEMPLATE_TEST_CASE("arithmetic alone finds the bin of a value that is not next to an edge", "", float,
                   double) {
    constexpr TestType kInfinity = std::numeric_limits<TestType>::infinity();
    for (const Axis& axis : {kUnit, kPrices, kSixtyFour, kBytes}) {
        // Wrong edges: if they were looked up, these values would be in the bin before or after their own.
        const std::vector<TestType> before(axis.bins + 1, kInfinity), after(axis.bins + 1, -kInfinity);
        BinFinder<TestType> finder = bin_finder<TestType>(axis, nullptr);
        const double width = (axis.high - axis.low) / axis.bins;
        for (unsigned int b = 0; b < axis.bins; ++b) {
            finder.edges = before.data();
            CHECK(finder(static_cast<TestType>(axis.low + (b + 0.01) * width)) == b);
            finder.edges = after.data();
            CHECK(finder(static_cast<TestType>(axis.low + (b + 0.99) * width)) == b);
        }
    }
}

TEST_CASE("the last bin holds its upper edge, an edge belongs to the bin above, and 0.3 is below 3 x 0.1") {
    const DeviceAxis<double> axis(kUnit);
    const BinFinder<double>& bin_of = axis.on_host();
    CHECK(bin_of(0) == 0);
    CHECK(bin_of(0.1) == 1);
    CHECK(bin_of(0.3) == 2);  // the edge is 0.30000000000000004, as in numpy
    CHECK(bin_of(0.5) == 5);
    CHECK(bin_of(1) == 9);
    CHECK(bin_of(std::nextafter(1.0, 2.0)) == kOutside);
    CHECK(bin_of(-1e-300) == kOutside);
    CHECK(bin_of(NAN) == kOutside);
    CHECK(bin_of(INFINITY) == kOutside);
    CHECK(kOutside >= kMostBins);
}

/// Why an axis is refused; empty if it is not.
template <typename T>
std::string refusal(const Axis& axis) {
    return thrown_by([&] { bin_finder<T>(axis, nullptr); });
}

TEST_CASE("an invalid axis, or one that is finer than its values, is rejected") {
    for (const Axis& axis : {Axis{0, 1, 0}, Axis{1, 1, 5}, Axis{2, 1, 5}, Axis{NAN, 1, 5},
                             Axis{0, INFINITY, 5}, Axis{-1e308, 1e308, 5}}) {
        CHECK(refusal<float>(axis).find("an axis needs at least one bin") != std::string::npos);
        CHECK(refusal<double>(axis).find("an axis needs at least one bin") != std::string::npos);
    }
    for (const Axis& axis :
         {Axis{1e6, 1e6 + 1, 64}, Axis{0, 1, 1u << 20}, Axis{0, 1e39, 4}, Axis{0, 1e-44, 4}})
        CHECK(refusal<float>(axis).find("finer than float values") != std::string::npos);
    for (const Axis& axis : {Axis{1e15, 1e15 + 1, 64}, Axis{0, 1e-310, 4}})
        CHECK(refusal<double>(axis).find("finer than double values") != std::string::npos);
    // The range, both ends and the scale are limited by the float's own range.
    constexpr double kMost = std::numeric_limits<float>::max();
    for (const auto& [accepted, refused] : {std::pair(Axis{0, kMost / 2, 4}, Axis{0, kMost / 1.99, 4}),
                                            {{kMost / 2, kMost, 4}, {kMost / 1.5, kMost * 1.01, 4}},
                                            {{0, 0x1p126, 1}, {0, 0x1.01p126, 1}},
                                            {{0, 1 / kMost, 1}, {0, 0.99 / kMost, 1}}}) {
        CHECK(refusal<float>(accepted) == "");
        CHECK(refusal<float>(refused) != "");
    }
    // With this many bins, the tolerance reaches a quarter of a bin; with one bin less, it does not.
    for (const Axis& axis : {Axis{0, 1, 1u << 18}, Axis{2, 3, 1u << 17}, Axis{-3, -2, 1u << 17}}) {
        CHECK(refusal<float>(axis) != "");
        CHECK(refusal<float>({axis.low, axis.high, axis.bins - 1}) == "");
    }
    CHECK(refusal<float>({-1, 1, 64}) == "");
    CHECK(refusal<double>({-1, 1, 64}) == "");
    CHECK(refusal<double>({1e6, 1e6 + 1, 64}) == "");
}

TEST_CASE("numbers are printed in the fewest digits that are read back as the same number, or roughly") {
    CHECK(shortest(9.95) == "9.95");
    CHECK(shortest(1.0 / 3) == "0.3333333333333333");
    CHECK(shortest(0.1 + 0.2) == "0.30000000000000004");
    CHECK(rough(1.0 / 3) == "0.333333");
}

TEST_CASE("an axis follows from the data as numpy's does, or from a range") {
    const std::vector<double> values{3, -1, 2};
    const auto is = [](const Axis& axis, double low, double high, unsigned int bins) {
        return axis.low == low && axis.high == high && axis.bins == bins;
    };
    CHECK(is(axis_for({}, values), -1, 3, 64));
    CHECK(is(axis_for({}, std::vector<float>{2, 2}), 1.5, 2.5, 64));
    CHECK(is(axis_for({}, std::vector<float>{}), 0, 1, 64));
    CHECK(is(axis_for({.bins = 5}, values), -1, 3, 5));
    CHECK(is(axis_for({.bins = 7, .range = {{0, 0.3}}}, values), 0, 0.3, 7));
}

}  // namespace pair_checks
