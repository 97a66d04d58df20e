/// @file
/// @brief What the watchdog counts as progress.
#include "watchdog.hpp"

#include <algorithm>
#include <string>

#include "../grid/crew.hpp"
#include "errors.hpp"

namespace sim {

void Watchdog::tick(const Threads& threads, Grid& grid, bool in_kernel) {
    const std::uint64_t slow_ticks = 2 * most_ticks_;  // after these, a message says that the grid still runs
    const std::uint64_t begun =
        block_serial * (2 * kMaxThreadsPerBlock) + threads.started + (threads.count - threads.live);
    if (begun != begun_) waits_before_ = waits_;
    const std::uint64_t waits = std::min(waits_ - waits_before_, most_waits_ * threads.count);
    const bool is_new = begun != begun_ || waits != seen_waits_;
    ticks_since_ = is_new ? 0 : ticks_since_ + 1;
    if (is_new) grid.crew->note_progress();
    begun_ = begun;
    seen_waits_ = waits;
    const bool is_slow = grid.crew->works_since(slow_ticks);
    if ((++ticks_ >= slow_ticks || is_slow) && in_kernel && !grid.said_slow.exchange(true))
        tell(launch_text(grid.kernel) +
             " is still running: " + std::to_string(std::min(grid.next_block.load(), grid.blocks)) +
             " of its " + std::to_string(grid.blocks) + " blocks have begun");
}

}  // namespace sim
