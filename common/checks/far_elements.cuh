/// @file
/// @brief Checks indices past 2^32 in little memory and time, on the simulator only.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "../problem/prepared_variant.cuh"
#include "../problem/verify.hpp"
#include "failure.cuh"
#include "far_memory.hpp"
#include "setting.hpp"

/// How many elements a variant is checked on, and in which launch.
struct FarCase {
    std::size_t n;          ///< elements
    LaunchShape shape;      ///< the variant's shape
    std::size_t per_round;  ///< elements that the launch's threads use at a time; 0 for `case_of_many_blocks`
};

namespace check_detail {

/// `n` zeros. Some of them, between the elements of the blocks that run, can't be accessed.
template <typename Element>
auto far_zeros(std::size_t n, std::size_t per_round) {
    auto memory = zeros_without_room<Element>(n);
    for (std::size_t turn = 0; per_round != 0 && turn < 16; ++turn)
        forbid_mebibyte(memory.get(), turn * per_round * sizeof(Element));
    return memory;
}

/// Whether a few blocks of a variant can show how it uses many elements.
template <typename Problem>
bool has_far_cases(const Variant<Problem>& variant) {
    return kHasFarMemory && !variant.fixed_shape && variant.most_blocks != 1 && !variant.zeroed_workspace;
}

/// Whether the workspace is small enough.
template <typename Problem>
bool has_room(const Variant<Problem>& variant, const FarCase& c) {
    return variant.workspace_size(c.n, c.shape) <= std::size_t{1} << 23;
}

/// The cases to try, of which the first one that suits a variant is enough. Each comes with an otherwise
/// equal case of fewer than 2^31 elements.
template <typename Problem>
std::vector<std::pair<FarCase, FarCase>> far_cases(const Variant<Problem>& variant) {
    // With 2^36 elements there are also more than 2^32 vectors of 16. A thread reads about `rounds` elements;
    // with 16, there are more than 2^32 threads, and thread 2^32 is one of those that run.
    const unsigned int block = variant.only_block != 0 ? variant.only_block : 1024;
    const auto of = [&](unsigned long long elements, unsigned int rounds) -> FarCase {
        const auto grid = static_cast<unsigned int>(elements / block / rounds + 2);
        return {std::size_t{grid} * block * rounds - 3,
                {variant.grid_follows_n ? 0 : grid, block},
                std::size_t{grid} * block};
    };
    std::vector<std::pair<FarCase, FarCase>> cases;
    for (const auto& [elements, rounds] :
         {std::pair{1ull << 36, 16u}, {1ull << 32, 16u}, {1ull << 32, 1024u}})
        cases.emplace_back(of(elements, rounds), of(1ull << 30, rounds));
    return cases;
}

}  // namespace check_detail

/// @brief Checks a variant on many elements in little memory and time.
///
/// All elements are 0 at first. Then some at each end get different values, and the results must change
/// accordingly, except result 0 of a variant that is wrong on purpose.
/// @return The error; nothing if the results are correct.
template <typename Problem>
std::optional<Failure> failure_far_out(const Variant<Problem>& variant, const FarCase& c) {
    using Element = typename Problem::Element;
    constexpr std::size_t kChanged = 40;
    const std::size_t n = c.n;
    const auto memory = check_detail::far_zeros<Element>(n + 1, c.per_round);
    Element* const data = memory.get() + 1;  // not where wide loads can begin
    Results results, expected;
    try {
        PreparedVariant<Problem> prepared(variant, n, c.shape);  // freed before a fault is forgotten
        const check_detail::EndsOnly ends_only;
        prepared.call(data);
        expected = prepared.results();
        for (std::size_t i = 0; i < kChanged; ++i) {
            const auto seed = check_detail::graders_seed();
            std::memset(&data[i], static_cast<int>(200 - i + seed), sizeof(Element));
            std::memset(&data[n - 1 - i], static_cast<int>(100 - i + seed), sizeof(Element));
        }
        prepared.call(data);
        results = prepared.results();
    } catch (const CudaError& error) {
        return Failure::of({n}, error);
    }
    Results change(Problem::kResults, 0);
    for (std::size_t i = 0; i < kChanged; ++i) {
        Problem::add(change, data[i], 1);
        Problem::add(change, data[n - 1 - i], 1);
    }
    Problem::add(change, Element{}, 0 - 2 * kChanged);
    change = variant.expected(change);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += change[i];
    if (variant.wrong_because != nullptr) results[0] = expected[0];
    if (const auto wrong = first_difference(results, expected))
        return Failure{Failure::Kind::result, {n}, wrong->text(results.size()), wrong};
    return std::nullopt;
}

/// @brief The most elements that a variant can be checked on, of which only a few blocks use any.
///
/// The grid is so large that its first and last blocks, the only ones that run, reach both ends of the data.
/// If a kernel divides the elements in its own way, other blocks may have to reach an end. Such a kernel also
/// fails with fewer elements, so its failure says nothing.
/// @return The case, and an otherwise equal one of fewer than 2^31 elements, in which the variant is right.
///         Nothing for variants with a fixed shape or only one block, with a block that must be the last one,
///         with a large workspace, or if only blocks that do not run reach the ends.
template <typename Problem>
std::optional<std::pair<FarCase, FarCase>> suitable_far_case(const Variant<Problem>& variant) {
    if (!check_detail::has_far_cases(variant)) return std::nullopt;
    for (const auto& [far, fewer] : check_detail::far_cases(variant))
        if (check_detail::has_room(variant, far) && !failure_far_out(variant, fewer))
            return std::pair{far, fewer};
    return std::nullopt;
}

/// @brief A case of so many blocks and elements that 16 bits can't count those, and `float` rounds these, if
/// the variant may be wrong in it.
///
/// All threads of such a case would take seconds, so only a few blocks run here. If a kernel divides the
/// elements in its own way, it may be right nevertheless: only the whole case tells.
/// @return Nothing if the few blocks give the right result, or a wrong one also for fewer elements.
template <typename Problem>
std::optional<FarCase> case_of_many_blocks(const Variant<Problem>& variant) {
    if (!check_detail::has_far_cases(variant)) return std::nullopt;
    constexpr unsigned int kBlocks = 1 << 16, kEach = 16 / sizeof(typename Problem::Element);
    const unsigned int block = variant.only_block != 0 ? variant.only_block : 64;
    const auto of = [&](unsigned int grid) -> FarCase {
        return {std::size_t{grid} * block * kEach - 3, {variant.grid_follows_n ? 0 : grid, block}, 0};
    };
    const FarCase many = of(kBlocks + 2), few = of(kBlocks / 64);
    if (!check_detail::has_room(variant, many) || failure_far_out(variant, few) ||
        !failure_far_out(variant, many))
        return std::nullopt;
    return many;
}

/// Checks a variant in its `suitable_far_case`, if there is one.
/// @return A description of the error; nothing if there is none.
template <typename Problem>
std::optional<std::string> check_far_elements(const Variant<Problem>& variant) {
    const auto c = suitable_far_case(variant);
    return c ? text_of(variant.name, failure_far_out(variant, c->first)) : std::nullopt;
}
