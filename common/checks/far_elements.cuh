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

namespace check_detail {

/// During its lifetime, the simulator runs only two blocks at each end of a grid.
struct EndsOnly : Setting {
    EndsOnly() : Setting("CUDA_SIM_ENDS", 2) {}
};

/// More elements than 32 bits can count, for a grid of so many blocks that its ends reach those of the data.
struct FarSize {
    std::size_t n;
    LaunchShape shape;
    std::size_t threads;
};

/// The sizes to try, of which the first one with a workspace that fits is enough.
template <typename Problem>
std::vector<FarSize> far_sizes(const Variant<Problem>& variant) {
    std::vector<FarSize> sizes;
    // With 2^36 elements there are also more than 2^32 vectors of 16. A thread reads about `rounds` elements;
    // with 16, there are more than 2^32 threads, and thread 2^32 is one of those that run.
    const unsigned int block = variant.only_block != 0 ? variant.only_block : 1024;
    for (const auto& [elements, rounds] :
         {std::pair{1ull << 36, 16u}, {1ull << 32, 16u}, {1ull << 32, 1024u}}) {
        const auto grid = static_cast<unsigned int>(elements / block / rounds + 2);
        const std::size_t threads = std::size_t{grid} * block;
        sizes.push_back({threads * rounds - 3, {variant.grid_follows_n ? 0 : grid, block}, threads});
    }
    return sizes;
}

/// Zeros, of which those between the blocks that run can't be accessed.
template <typename Element>
auto far_zeros(std::size_t n, std::size_t threads) {
    auto memory = zeros_without_room<Element>(n);
    for (std::size_t turn = 0; turn < 16; ++turn)
        forbid_mebibyte(memory.get(), turn * threads * sizeof(Element));
    return memory;
}

}  // namespace check_detail

/// @brief Checks a variant on more elements than 32 bits can count, with only a few of its blocks.
///
/// The grid is so large that its first and last blocks, the only ones that run, reach both ends of the data.
/// All elements are 0 at first. Then some at each end get different values, and the results must change
/// accordingly, including those of a variant that is wrong on purpose where values are equal.
/// Skips variants with a fixed shape or only one block, with a block that must be the last one, or with a
/// large workspace.
/// @return The error; nothing if the results are correct.
template <typename Problem>
std::optional<Failure> failure_far_out(const Variant<Problem>& variant) {
    using Element = typename Problem::Element;
    constexpr std::size_t kChanged = 40, kMostWorkspace = std::size_t{1} << 23;
    if (variant.fixed_shape || variant.most_blocks == 1 || variant.zeroed_workspace) return std::nullopt;
    for (const auto& [n, shape, threads] : check_detail::far_sizes(variant)) {
        if (variant.workspace_size(n, shape) > kMostWorkspace) continue;

        const auto memory = check_detail::far_zeros<Element>(n + 1, threads);
        Element* const data = memory.get() + 1;  // not where wide loads can begin
        Results results, expected;
        try {
            PreparedVariant<Problem> prepared(variant, n, shape);  // freed before a fault is forgotten
            const check_detail::EndsOnly ends_only;
            prepared.call(data);
            expected = prepared.results();
            for (std::size_t i = 0; i < kChanged; ++i) {
                std::memset(&data[i], static_cast<int>(200 - i + check_detail::graders_seed()),
                            sizeof(Element));
                std::memset(&data[n - 1 - i], static_cast<int>(100 - i + check_detail::graders_seed()),
                            sizeof(Element));
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
    return std::nullopt;
}

/// The same. @return A description of the error; nothing if the results are correct.
template <typename Problem>
std::optional<std::string> check_far_elements(const Variant<Problem>& variant) {
    return text_of(variant.name, failure_far_out(variant));
}
