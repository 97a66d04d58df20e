/// @file
/// @brief Detects that a kernel makes no progress.
#pragma once

#include <cstdint>

#include "../platform/platform.hpp"
#include "simulator/threads.h"

namespace sim {

struct Grid;

/// @brief Watches the blocks that one worker runs: decides, at each tick of the worker's timer, whether the
/// threads of the current block have made progress.
///
/// They have made progress if one of them has begun, returned or waited since the last tick. If none has
/// begun or returned for long, waits no longer count (`kWaitsPerSecond`).
class Watchdog {
 public:
    static constexpr unsigned int kTicksPerSecond = 100;
    /// After this many waits per thread and second of the timeout, further waits are no progress: a loop
    /// with a barrier may be endless.
    static constexpr std::uint64_t kWaitsPerSecond = 10'000;

    /// @param[in] timeout Seconds without progress after which the watchdog gives up; 0 for never.
    explicit Watchdog(std::uint64_t timeout = 0)
        : most_ticks_(timeout * kTicksPerSecond), most_waits_(timeout * kWaitsPerSecond) {}

    void thread_waits() { ++waits_; }
    /// Examines what the block's threads have done since the last tick. If a grid takes long, prints once
    /// that it is still running.
    void tick(const Threads& threads, Grid& grid, bool in_kernel);

    /// Whether the threads have made no progress during the grid's timeout; never while a debugger is
    /// attached.
    bool gives_up() {
        if (most_ticks_ == 0 || ticks_since_ < most_ticks_) return false;
        if (platform::is_debugged()) ticks_since_ = 0;
        return ticks_since_ != 0;
    }
    /// For how many ticks the threads have made no progress.
    std::uint64_t ticks_without_progress() const { return ticks_since_; }
    /// Whether the threads have used up the waits that count as progress.
    bool waits_endlessly(const Threads& threads) const { return seen_waits_ == most_waits_ * threads.count; }
    /// How many waits per thread count as progress.
    std::uint64_t most_waits() const { return most_waits_; }

 private:
    std::uint64_t waits_ = 0;         ///< how often threads have waited
    std::uint64_t waits_before_ = 0;  ///< `waits_` at the last tick that has changed `begun_`
    std::uint64_t begun_ = 0;         ///< at the last tick; changes when a thread begins or returns
    std::uint64_t seen_waits_ = 0;    ///< at the last tick: how many waits have counted as progress
    std::uint64_t most_ticks_;
    std::uint64_t most_waits_;
    std::uint64_t ticks_ = 0;                 ///< ticks since the grid began
    volatile std::uint64_t ticks_since_ = 0;  ///< ticks since the last progress
};

}  // namespace sim
