/// @file
/// @brief Dynamic parallelism: grids that a kernel launches run when the kernel's own grid has ended.
#include <functional>
#include <mutex>
#include <utility>

#include "../faults/errors.hpp"
#include "block.hpp"
#include "simulator/cooperation.h"

namespace sim {

static bool may_launch = false;
bool let_kernels_launch() { return may_launch = true; }

void require_nested_launches(const Kernel& kernel) {
    if (!may_launch) running_block->stop(launch_by_kernel, kernel);
}

void launch_nested(std::function<void()> run) {
    Grid& grid = running_block->grid();
    const std::lock_guard<std::mutex> lock(grid.lock);
    grid.nested.push_back(std::move(run));
}

void run_nested(const NestedLaunches& launches) {
    constexpr int kMostLevels = 24;  // a GPU's limit
    thread_local int level = 0;
    if (launches.empty()) return;
    if (level == kMostLevels)
        return set_fault(cudaErrorLaunchMaxDepthExceeded, "kernels launch kernels more than 24 levels deep");
    ++level, ++launching_together;
    for (const auto& run : launches) run();  // the launches of each one run before the next one
    --level, --launching_together;
}

}  // namespace sim
