/// @file
/// @brief Checks more elements than 32 bits can count, in little memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "../problem/prepared_variant.cuh"
#include "../problem/verify.hpp"
#include "far_memory.hpp"
#include "setting.hpp"

/// How many elements a variant for the CPU is checked on.
constexpr auto kLongInput = static_cast<std::size_t>((1ull << 32) + 5);

/// @brief Checks a variant for the CPU on `n` zeros, of which the last is replaced by another number, by
/// default 1.
/// @return The error; nothing if the results are correct.
template <typename Problem>
std::optional<Failure> failure_of_long_input(const Variant<Problem>& variant, std::size_t n = kLongInput) {
    using Element = typename Problem::Element;
    const auto data = check_detail::zeros_without_room<Element>(n);
    const auto last = static_cast<Element>(1 + check_detail::graders_seed() % 100);
    data[n - 1] = last;
    PreparedVariant<Problem> prepared(variant, n, {});
    prepared.call(data.get());
    Results expected(Problem::kResults, 0);
    Problem::add(expected, Element{}, n - 1);
    Problem::add(expected, last, 1);
    const Results results = prepared.results();
    const auto wrong = first_difference(results, expected);
    if (!wrong) return std::nullopt;
    return Failure{Failure::Kind::result, {n}, wrong->text(results.size()), wrong};
}

/// Checks a variant with a long input. @return A description of the error; nothing if the results are
/// correct.
template <typename Problem>
std::optional<std::string> check_long_input(const Variant<Problem>& variant) {
    return text_of(variant.name, failure_of_long_input(variant));
}
