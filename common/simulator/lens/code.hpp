/// @file
/// @brief How often warps execute each basic block, including basic blocks without memory accesses.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "hardware.hpp"

namespace lens {

/// How often one basic block was executed.
struct Executions {
    std::uint64_t warps = 0;  ///< executions by warps, with any number of lanes
    std::uint64_t lanes = 0;  ///< executions by lanes
};
/// The executions of basic blocks. The key is the return address of the hook that the basic block calls.
using CodeCounts = std::map<std::uintptr_t, Executions>;

/// @brief Counts how often one worker's warps execute each basic block.
///
/// Between two points where its lanes meet, a warp is assumed to execute a basic block as often as the lane
/// that executes it most often.
class Code {
 public:
    /// A thread has reached the basic block whose hook returns to `at`.
    void reach(unsigned int thread, std::uintptr_t at) {
        Known& known = known_[(at ^ at >> 8) % known_.size()];
        if (known.at != at) known = {at, number_of(at)};
        Warp& warp = warps_[thread / kLanes];
        if (warp.rows.size() <= known.number) warp.rows.resize(known.number + 1);
        Row& row = warp.rows[known.number];
        if (!row.is_reached) row.is_reached = true, warp.reached.push_back(known.number);
        ++row.lanes[thread % kLanes];
    }

    /// The lanes of a warp meet, or have returned: counts what they have executed since they last met.
    void meet(unsigned int number) {
        Warp& warp = warps_[number];
        for (const std::uint32_t block : warp.reached) {
            Row& row = warp.rows[block];
            sums_[block].warps += *std::ranges::max_element(row.lanes);
            sums_[block].lanes += std::accumulate(row.lanes.begin(), row.lanes.end(), std::uint64_t{0});
            row = {};
        }
        warp.reached.clear();
    }

    CodeCounts counts() const {
        CodeCounts result;
        for (std::size_t i = 0; i < sums_.size(); ++i) result[at_[i]] = sums_[i];
        return result;
    }

 private:
    struct Row {
        std::array<std::uint32_t, kLanes>
            lanes{};  ///< how often each lane has executed it since the lanes last met
        bool is_reached = false;
    };
    struct Warp {
        std::vector<Row> rows{};               ///< one for each basic block, by its number
        std::vector<std::uint32_t> reached{};  ///< the blocks reached since the lanes last met
    };
    struct Known {
        std::uintptr_t at = 0;
        std::uint32_t number = 0;
    };

    std::uint32_t number_of(std::uintptr_t at) {
        const auto number = static_cast<std::uint32_t>(std::ranges::find(at_, at) - at_.begin());
        if (number == at_.size()) at_.push_back(at), sums_.emplace_back();
        return number;
    }

    std::array<Known, 256> known_{};  ///< numbers of recent basic blocks, by a hash of their addresses
    std::vector<std::uintptr_t> at_;  ///< each basic block's address, by number
    std::vector<Executions> sums_;    ///< each basic block's executions, by number
    std::array<Warp, 32> warps_;
};

}  // namespace lens
