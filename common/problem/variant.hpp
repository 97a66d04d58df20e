/// @file
/// @brief What all chapters' variants have in common: their inputs, their results, and their claims.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../cuda/launch_shape.hpp"

/// Counts or sums, in host memory.
using Results = std::vector<unsigned long long>;

/// @brief One step of a chapter's progression. The checks test what it claims and no more.
/// @tparam Problem `Histogram` or `SumOfSquares`.
template <typename Problem>
struct Variant {
    using Element = typename Problem::Element;  ///< the type of the input's elements

    /// @brief Computes the results of `n` elements. Enqueues all work, including any clearing, and checks its
    ///        launches. The pointers are to device memory, unless the variant runs on the CPU.
    /// @param[in]  data      `n` elements, aligned as their type requires.
    /// @param[in]  n         May be 0.
    /// @param[out] results   `results` numbers; their old values don't matter.
    /// @param      workspace As many numbers as the variant's `workspace` returns: undefined before the first
    ///                       call, or 0 if `zeroed_workspace`. Kept between calls.
    /// @param[in]  shape     Blocks and threads per block; a zero leaves the choice to the variant.
    /// @throws CudaError, or std::invalid_argument for a shape that can't give the correct result.
    using Run = void(const Element* data, std::size_t n, unsigned long long* results,
                     unsigned long long* workspace, LaunchShape shape);

    const char* name;
    const char* idea = "";  ///< what is new in this variant, in one line
    Run* run;
    /// The size of its workspace in numbers; null if it needs none.
    std::size_t (*workspace)(std::size_t n, LaunchShape shape) = nullptr;
    bool zeroed_workspace = false;  ///< whether the workspace must be 0 before the first call
    std::size_t results =
        Problem::kResults;            ///< a divisor of `kResults`: each result covers equally many neighbours
    bool on_cpu = false;              ///< data, results and workspace are in host memory
    bool fixed_shape = false;         ///< the launch shape can't be chosen
    bool grid_follows_n = false;      ///< the grid size follows from n and the block size
    unsigned int only_block = 0;      ///< if not 0: correct only for blocks of that many threads
    unsigned int most_blocks = 0;     ///< if not 0: correct only for grids of up to that many blocks
    bool power_of_two_block = false;  ///< correct only for blocks of 32, 64, 128, … threads
    bool whole_warps = false;         ///< correct only for blocks of a multiple of 32 threads
    const char* wrong_because = nullptr;  ///< if not null: wrong on purpose, for this reason

    /// @return Why the variant can't be launched with this shape; empty if it can.
    std::string refusal(const LaunchShape& shape) const {
        const unsigned int block = shape.block;
        if (fixed_shape && (block != 0 || shape.grid != 0)) return "--grid and --block are fixed";
        if (grid_follows_n && shape.grid != 0) return "--grid follows from --n and --block";
        if (only_block != 0 && block != 0 && block != only_block)
            return "--block must be " + std::to_string(only_block);
        if (most_blocks != 0 && shape.grid > most_blocks)
            return "--grid must be at most " + std::to_string(most_blocks);
        if (power_of_two_block && block != 0 && (block < 32 || (block & (block - 1)) != 0))
            return "--block must be a power of two, at least 32";
        if (whole_warps && block % 32 != 0) return "--block must be a multiple of 32";
        return "";
    }

    /// @return The size of its workspace in numbers, which may be 0.
    std::size_t workspace_size(std::size_t n, const LaunchShape& shape) const {
        return workspace == nullptr ? 0 : workspace(n, shape);
    }

    /// @return The results that the variant should compute, given the problem's `kResults` reference numbers.
    Results expected(const Results& reference) const {
        Results sums(results, 0);
        for (std::size_t i = 0; i < reference.size(); ++i)
            sums[i * results / reference.size()] += reference[i];
        return sums;
    }
};

/// @brief A list of variants from other files, such as a student's.
///
/// A linked list, whose elements are static variables of these files. A std::vector's code would be compiled
/// with every such file, and take longer than the file itself.
template <typename Problem>
class AddedVariants {
 public:
    /// An element of a list, to which its constructor adds it.
    struct Element {
        Variant<Problem> variant;  ///< the variant that was added
        Element* next = nullptr;   ///< the element that was added next

        /// @param[in] list  Must exist as long as this element.
        /// @param[in] added Is copied.
        Element(AddedVariants& list, const Variant<Problem>& added) : variant(added) {
            *list.end_ = this;
            list.end_ = &next;
        }
        Element(const Element&) = delete;
        Element& operator=(const Element&) = delete;
    };

    /// A position, for range-based loops.
    struct Iterator {
        Element* at;                                                 ///< null at the end
        Variant<Problem>& operator*() const { return at->variant; }  ///< the variant there
        Iterator& operator++() {                                     ///< moves on to the next one
            at = at->next;
            return *this;
        }
        bool operator==(const Iterator&) const = default;  ///< whether the positions are the same
    };
    Iterator begin() const { return {first_}; }                  ///< at the variant that was added first
    Iterator end() const { return {nullptr}; }                   ///< after the last one
    bool empty() const { return first_ == nullptr; }             ///< whether none was added
    Variant<Problem>& front() const { return first_->variant; }  ///< the first one, which must exist

 private:
    Element* first_ = nullptr;
    Element** end_ = &first_;
};

/// Variants for a chapter's program and the checks of an exercise.
template <typename Problem>
inline AddedVariants<Problem> added_variants;

/// Variants for an exercise's checks only: each tests a further promise of a student's functions, its `idea`.
template <typename Problem>
inline AddedVariants<Problem> more_checks;
