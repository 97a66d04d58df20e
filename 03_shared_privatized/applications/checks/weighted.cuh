/// @file
/// @brief Checks of weighted histograms, and that broken sums are found.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "../broken/int_sums.cuh"
#include "../histograms/weighted.cuh"
#include "../measuring/on_cpu.hpp"
#include "../measuring/weighted_reference.hpp"
#include "cases.cuh"

namespace pair_checks {

/// `n` weights of very different magnitudes: floating-point numbers of both signs, or integers.
template <typename Weight>
std::vector<Weight> hard_weights(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<Weight> weights(n);
    for (Weight& weight : weights)
        weight = std::is_integral_v<Weight>
                     ? static_cast<Weight>(random() >> random() % 40)
                     : static_cast<Weight>((fraction(random) - 0.25) * std::exp2(random() % 40));
    return weights;
}

/// Adds up the weights by the bins of their values, on the device.
template <typename Counter, typename T, typename Weight>
Sums device_sums(const std::vector<T>& values, const std::vector<Weight>& weights, const Case& c,
                 double scale) {
    const Shifted<T> d_values(values, c.first_offset);
    const Shifted<Weight> d_weights(weights, c.second_offset);
    const DeviceAxis<T> axis(c.x);
    const DeviceBuffer<Counter> d_sums(c.x.bins);
    CUDA_CHECK(cudaMemset(d_sums.data(), 0xA5, d_sums.bytes()));
    weighted_histogram(d_values.data, d_weights.data, c.n, axis, d_sums.data(), scale, c.shape);
    return numbers_of<Weight>(d_sums.to_host(), scale);
}

template <typename Counter, typename T, typename Weight>
std::vector<ExpectedSum> expected_sums(const std::vector<T>& values, const std::vector<Weight>& weights,
                                       const Axis& axis, double scale) {
    std::vector<ExpectedSum> expected;
    for (const ReferenceSum& bin : weighted_on_cpu<ReferenceSum>(1, values, weights, EdgeSearch(axis)))
        expected.push_back(expected_sum<Weight, Counter>(bin, scale));
    return expected;
}

template <typename Weight>
double scale_for(const std::vector<Weight>& weights) {
    long double magnitudes = 0;
    for (const Weight weight : weights) magnitudes += std::fabs(static_cast<long double>(weight));
    return fixed_point_scale(static_cast<double>(magnitudes));
}

/// @return A description of the first error; nothing if all sums are right.
template <typename T, typename Weight, typename Counter>
std::optional<std::string> check_weighted() {
    std::vector<Case> cases = all_cases();
    for (const unsigned int bins : {1u, 58112u, 58113u, 200000u}) cases.push_back({5003, {0, 1, bins}});
    for (const Case& c : cases) {
        const std::vector<T> values = hard_values<T>(c.x, c.n, c.n);
        const std::vector<Weight> weights = hard_weights<Weight>(c.n, c.n);
        const double scale = std::is_integral_v<Weight> ? 1 : scale_for(weights);
        const auto wrong = verify_sums(device_sums<Counter>(values, weights, c, scale),
                                       expected_sums<Counter>(values, weights, c.x, scale));
        if (wrong) return describe(c) + *wrong;
    }
    return std::nullopt;
}

using Fixed = unsigned long long;

TEST_CASE("integer weights are added up exactly, for every n, alignment, axis and shape") {
    CHECK(check_weighted<float, int, unsigned long long>().value_or("") == "");
    CHECK(check_weighted<double, long long, unsigned long long>().value_or("") == "");
}

TEST_CASE("floating point weights are added up within the bound, in each kind of counter") {
    CHECK(check_weighted<float, float, float>().value_or("") == "");
    CHECK(check_weighted<float, float, double>().value_or("") == "");
    CHECK(check_weighted<float, float, Fixed>().value_or("") == "");
    CHECK(check_weighted<double, double, float>().value_or("") == "");
    CHECK(check_weighted<double, double, double>().value_or("") == "");
    CHECK(check_weighted<double, double, Fixed>().value_or("") == "");
}

TEST_CASE("float sums depend on the grid, and those of integers and in fixed point do not") {
    const std::size_t n = 50021;
    const std::vector<float> values = hard_values<float>(kUnit, n, 1), weights = hard_weights<float>(n, 2);
    const std::vector<int> whole = hard_weights<int>(n, 3);
    std::set<Sums> floats, doubles, integers, fixed;
    for (const unsigned int grid : {1, 2, 3, 5, 8, 13}) {
        const Case c{n, kUnit, kUnit, 0, 0, {grid, 64 * grid}};
        floats.insert(device_sums<float>(values, weights, c, 1));
        doubles.insert(device_sums<double>(values, weights, c, 1));
        integers.insert(device_sums<unsigned long long>(values, whole, c, 1));
        fixed.insert(device_sums<Fixed>(values, weights, c, scale_for(weights)));
    }
    CHECK(floats.size() > 1);
    CHECK(doubles.size() > 1);
    CHECK(integers.size() == 1);
    CHECK(fixed.size() == 1);
}

TEST_CASE("weights have a fixed point that they can't overflow, unless they are too large or too small") {
    const Case c{4099, kUnit};
    const std::vector<double> values = hard_values<double>(kUnit, c.n, 1);
    for (const double size : {1e-290, 1e-30, 1.0, 1e30, 1e300}) {
        for (const double weight : {size, -size}) {
            const std::vector<double> weights(c.n, weight);
            const double scale = scale_for(weights);
            CHECK(verify_sums(device_sums<Fixed>(values, weights, c, scale),
                              expected_sums<Fixed>(values, weights, c.x, scale))
                      .value_or("") == "");
        }
    }
    CHECK(fixed_point_scale(0) == 1);
    CHECK(fixed_point_scale(1) == std::exp2(61));
    CHECK(fixed_point_scale(std::exp2(61) * 1.9) == 1);
    CHECK(fixed_point_scale(0x1p-962) == 0x1p1023);
    CHECK_THROWS_AS(fixed_point_scale(0x1.fp-963), std::invalid_argument);
    CHECK_THROWS_AS(fixed_point_scale(INFINITY), std::invalid_argument);
    CHECK_THROWS_AS(fixed_point_scale(NAN), std::invalid_argument);
}

TEST_CASE("the bound is the textbook's, and a sum that is off by more is found") {
    ReferenceSum bin;
    for (int k = 0; k < 1000; ++k) bin += 0.5;
    const double u = std::exp2(-24);
    CHECK(expected_sum<float, float>(bin, 1).bound == Approx(999 * u / (1 - 999 * u) * 500));
    CHECK(expected_sum<double, float>(bin, 1).bound == Approx(1000 * u / (1 - 1000 * u) * 500));
    CHECK(expected_sum<float, unsigned long long>(bin, 1024).bound == 500.0 / 1024);
    CHECK(expected_sum<int, unsigned long long>(bin, 1).bound == 0);
    for (const double off : {0.9, 1.1, -1.1, static_cast<double>(NAN)}) {
        const ExpectedSum expected = expected_sum<float, float>(bin, 1);
        CHECK(verify_sums({500 + off * expected.bound}, {expected}).has_value() == (off != 0.9));
    }
    CHECK(verify_sums({}, {{0, 0}}));
    bin.terms = std::size_t{1} << 25;  // so many that nothing is guaranteed for a float
    CHECK(std::isinf(expected_sum<float, float>(bin, 1).bound));
    CHECK(expected_sum<float, double>(bin, 1).bound < 1e-5);
}

TEST_CASE("the exact sum keeps what a long double would lose") {
    ExactSum sum;
    for (const long double term : {1e30L, 1.0L, -1e30L, 0x1p-60L}) sum.add(term);
    CHECK(sum.value() == 1 + 0x1p-60L);
}

TEST_CASE("32-bit sums of weights are found") {
    const std::size_t n = 5003;
    const std::vector<float> values = hard_values<float>(kUnit, n, 1);
    const std::vector<int> weights = hard_weights<int>(n, 2);
    const DeviceAxis<float> axis(kUnit);
    const Shifted<float> d_values(values, 0);
    const Shifted<int> d_weights(weights, 0);
    const DeviceBuffer<unsigned long long> d_sums(kUnit.bins);
    CUDA_CHECK(cudaMemset(d_sums.data(), 0, d_sums.bytes()));
    int_sums::kernel<<<3, 96, kUnit.bins * sizeof(int)>>>(d_values.data, d_weights.data, n, axis.on_device(),
                                                          d_sums.data());
    CHECK(verify_sums(numbers_of<int>(d_sums.to_host(), 1),
                      expected_sums<unsigned long long>(values, weights, kUnit, 1)));
}

}  // namespace pair_checks
