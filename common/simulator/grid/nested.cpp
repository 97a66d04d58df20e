/// @file
/// @brief Launches by kernels (dynamic parallelism): they run when the grid that has launched them has ended.
#include <functional>
#include <mutex>
#include <utility>

#include "../faults/errors.hpp"
#include "block.hpp"
#include "simulator/cooperation.h"

namespace sim {

static bool may_launch = false;
bool let_kernels_launch() { return may_launch = true; }

void launch_nested(const Kernel& kernel, std::function<void()> run) {
    {
        const Block::InSimulator here(*running_block);
        Grid& grid = running_block->grid();
        const std::lock_guard<std::mutex> lock(grid.lock);
        grid.nested.push_back(std::move(run));
    }
    if (!may_launch) running_block->stop(launch_by_kernel, kernel);
}

void run_nested(const NestedLaunches& launches) {
    constexpr int kMostLevels = 24;  // as on a GPU
    thread_local int level = 0;
    if (launches.empty()) return;
    if (level == kMostLevels)
        return set_fault(cudaErrorLaunchMaxDepthExceeded, "kernels launch kernels more than 24 levels deep");
    ++level;
    for (const auto& run : launches) run();  // what they launch runs in between
    --level;
}

}  // namespace sim
