/// @file
/// @brief Finds reductions and broadcasts by shuffles whose result depends on a lane that does not take part.
///
/// What a shuffle reads from such a lane is undefined. Reading it is legal as long as no result depends on
/// it, and the upper lanes of a reduction often do so. In a marked statement (`Chained`), the variable's new
/// value is known to depend on what the shuffle reads. If an undefined value reaches the lane that ends up
/// with the reduction's result, the result is undefined.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "simulator/cooperation.h"
#include "simulator/threads.h"

namespace sim {

/// A lane whose variable is undefined, and why: lane `reader` has read from lane `source`, which does not
/// take part.
struct UndefinedLane {
    unsigned int thread;  ///< the undefined lane's number in the block
    unsigned int reader, source;
};

/// The reductions in progress in the warps of one block.
class Chains {
 public:
    /// Called when the block begins, and when all its threads meet at a barrier: no reduction is in progress.
    void forget() {
        if (any_) warps_ = {};
        any_ = false;
    }
    /// Called when lanes of a warp are about to receive the values that they shuffle.
    /// @param[in] first The warp's first thread. @param[in] all What its lanes have passed.
    /// @return If the result of a reduction's last step is undefined, the lane that has this result. If all
    /// lanes read from one lane that does not take part (a broadcast), the lowest lane.
    std::optional<UndefinedLane> step(const Threads& threads, unsigned int first, const WarpValues& all);
    /// Whether a variable of a thread is undefined after the last marked statement that has changed it.
    bool is_undefined(unsigned int thread) const;

 private:
    struct Chain {
        const char* variable = nullptr;
        unsigned int lanes = 0, undefined = 0;
        unsigned int steps = 0, distance = 0, sum = 0;  ///< the last step's distance; the sum of all
        bool halves = false;
        bool is_neutral = false;  ///< whether the values seem not to contribute to a result (`are_neutral`)
        struct Read {
            std::uint8_t reader, source;
        } why[warpSize]{};  ///< for each undefined lane, the read that made it so
    };
    static constexpr unsigned int kMost = 4;  ///< interleaved reductions, as of a vector's components
    struct Warp {
        std::array<Chain, kMost> chains{};
        unsigned int next = 0;
    };
    static bool continues(const Chain& chain, unsigned int lanes, unsigned int distance);

    std::array<Warp, kMaxThreadsPerBlock / warpSize> warps_{};
    bool any_ = false;
};

}  // namespace sim
