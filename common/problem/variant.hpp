/// @file
/// @brief The contract of both parts: what a variant takes, what it gives, and what it claims.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../cuda/launch_shape.hpp"

/// Counts or sums, in host memory.
using Results = std::vector<unsigned long long>;

/// @brief One step of the progression. Checks hold it to what it claims, and to no more.
/// @tparam Problem What it computes: `Histogram` or `SumOfSquares`.
template <typename Problem>
struct Variant {
    using Element = typename Problem::Element;  ///< what the input consists of

    /// @brief Computes the results of `n` elements. Enqueues all of the work, clearing included, and checks
    ///        its launches. Everything is in device memory, unless the variant runs on the CPU.
    /// @param[in]  data      `n` elements, at any address that suits their type.
    /// @param[in]  n         May be 0.
    /// @param[out] results   As many numbers as the variant has; their old values don't matter.
    /// @param      workspace As many numbers as the variant asks for: undefined before the first call, or 0
    ///                       if it asks for that. Between calls they belong to the variant.
    /// @param[in]  shape     Blocks and threads per block; a zero leaves the choice to the variant.
    /// @throws CudaError, or std::invalid_argument for a shape that can't give the right result.
    using Run = void(const Element* data, std::size_t n, unsigned long long* results,
                     unsigned long long* workspace, LaunchShape shape);

    const char* name;
    const char* idea = "";  ///< one line: what is new
    Run* run;
    /// How many numbers of workspace it needs; null if it needs none.
    std::size_t (*workspace)(std::size_t n, LaunchShape shape) = nullptr;
    bool zeroed_workspace = false;  ///< its workspace must be 0 before the first call
    std::size_t results =
        Problem::kResults;                ///< a divisor of `kResults`: each stands for that many neighbours
    bool on_cpu = false;                  ///< data, results and workspace are in host memory
    bool fixed_shape = false;             ///< no other launch shape can be chosen
    bool grid_follows_n = false;          ///< n and the block size decide how many blocks there are
    unsigned int only_block = 0;          ///< if not 0: right for blocks of exactly that many threads
    unsigned int most_blocks = 0;         ///< if not 0: right for grids of up to that many blocks
    bool power_of_two_block = false;      ///< right for blocks of 32, 64, 128, … threads
    bool whole_warps = false;             ///< right for blocks of a multiple of 32 threads
    bool early_exit = false;              ///< threads may return before a barrier at which others wait
    const char* wrong_because = nullptr;  ///< if not null: wrong on purpose, for this reason

    /// @return Why it can't have a shape; empty if it can.
    std::string refusal(const LaunchShape& shape) const {
        const unsigned int block = shape.block;
        if (fixed_shape && (block != 0 || shape.grid != 0)) return "--grid and --block are fixed";
        if (grid_follows_n && shape.grid != 0) return "--grid follows from --n and --block";
        if (only_block != 0 && block != 0 && block != only_block)
            return "--block must be " + std::to_string(only_block);
        if (most_blocks != 0 && shape.grid > most_blocks)
            return "--grid must be at most " + std::to_string(most_blocks);
        if (power_of_two_block && block != 0 && (block < 32 || (block & (block - 1)) != 0))
            return "--block must be a power of two from 32";
        if (whole_warps && block % 32 != 0) return "--block must be a multiple of 32";
        return "";
    }

    /// @return How many numbers of workspace it needs, which may be none.
    std::size_t workspace_size(std::size_t n, const LaunchShape& shape) const {
        return workspace == nullptr ? 0 : workspace(n, shape);
    }

    /// @return What it should answer where the problem's `kResults` numbers are `reference`.
    Results expected(const Results& reference) const {
        Results sums(results, 0);
        for (std::size_t i = 0; i < reference.size(); ++i)
            sums[i * results / reference.size()] += reference[i];
        return sums;
    }
};

/// Variants from other files, such as a student's, which a chapter's program and the checks of an exercise
/// find here.
template <typename Problem>
std::vector<Variant<Problem>>& added_variants() {
    static std::vector<Variant<Problem>> variants;
    return variants;
}
