/// @file
/// @brief Notices that a kernel makes no progress.
#pragma once

#include <cstdint>

#include "../platform/platform.hpp"
#include "simulator/threads.h"

namespace sim {

struct Grid;

/// @brief Watches the blocks that one worker runs: decides, at each tick of the worker's timer, whether its
/// threads have made progress.
///
/// Threads make progress if one has begun, returned or waited since the last tick. Of the waits in a loop,
/// only the first ones count.
class Watchdog {
 public:
    static constexpr unsigned int kTicks = 10;  ///< per timeout
    /// After so many waits per thread, another one is no progress: a loop with a barrier may be endless.
    static constexpr std::uint64_t kMostWaits = 100'000;

    void thread_waits() { ++waits_; }
    /// Looks at what the block's threads have done since the last tick. If a thread runs the kernel, and the
    /// grid takes long, says so.
    void tick(const Threads& threads, Grid& grid);

    /// Whether the threads have made no progress during the grid's timeout, of which a debugger may use any
    /// number.
    bool gives_up() {
        if (ticks_since_ < kTicks) return false;
        if (platform::is_debugged()) ticks_since_ = 0;
        return ticks_since_ != 0;
    }
    /// Whether the threads have waited for each other as often as counts.
    bool waits_endlessly(const Threads& threads) const { return seen_waits_ == kMostWaits * threads.count; }

 private:
    std::uint64_t waits_ = 0;                ///< how often a thread has waited
    std::uint64_t waits_before_ = 0;         ///< the same when a thread last began or returned
    std::uint64_t begun_ = 0;                ///< how much had begun or returned at the last tick
    std::uint64_t seen_waits_ = 0;           ///< how many waits counted at the last tick
    unsigned int ticks_ = 0;                 ///< of the grid
    volatile unsigned int ticks_since_ = 0;  ///< without progress
};

}  // namespace sim
