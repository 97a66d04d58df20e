/// @file
/// @brief A worker: what an OS thread needs to run blocks of a grid.
#pragma once

#include <optional>

#include "../faults/watchdog.hpp"
#include "../platform/platform.hpp"
#include "block.hpp"
#include "crew.hpp"

namespace sim {

/// @brief Takes blocks from a grid, and runs them one after another on the OS thread that calls `run`.
///
/// A worker outlives its grid, and later grids reuse its stacks and shared memory.
class Worker {
 public:
    /// @param[in] has_guards Whether an overflow of a simulated thread's stack is detected.
    explicit Worker(bool has_guards) : block_(has_guards) {}

    /// Runs blocks until none are left or one has failed.
    void run(Grid& grid, Crew::Member& member) {
        trap_stack_.begin();
        running_block = &block_;
        block_.begin_grid(grid, member);
        std::optional<platform::Ticks> ticks;
        if (grid.timeout != 0) ticks.emplace(Watchdog::kTicksPerSecond);
        platform::call_apart([&] {
            while (const auto number = grid.take_block()) {
                block_.run(*number);
                grid.crew->note_progress();
            }
        });
        ticks.reset();
        running_block = nullptr;
        threadIdx = blockIdx = {};  // a kernel that the host calls is like the first thread
        gridDim = blockDim = {};
        trap_stack_.end();
    }

 private:
    Block block_;
    platform::TrapStack trap_stack_;
};

}  // namespace sim
