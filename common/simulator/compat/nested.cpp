/// @file
/// @brief Launches by kernels (dynamic parallelism): they run when the grid that has launched them has ended.
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "../errors.hpp"
#include "../worker.hpp"
#include "launches.h"

namespace sim {
namespace {

std::mutex kept_lock;
std::vector<std::function<void()>> kept;

}  // namespace

bool let_kernels_launch() {
    keep_nested = [](std::function<void()> run) {
        const std::lock_guard<std::mutex> lock(kept_lock);
        kept.push_back(std::move(run));
    };
    run_nested = [] {
        constexpr int kMostLevels = 24;  // as on a GPU
        static int level = 0;
        if (level == kMostLevels && !kept.empty()) {
            kept.clear();
            return set_fault(cudaErrorLaunchMaxDepthExceeded,
                             "kernels launch kernels more than 24 levels deep");
        }
        ++level;
        for (const auto& run : std::exchange(kept, {})) run();  // what they launch runs in between
        --level;
    };
    return true;
}

}  // namespace sim
