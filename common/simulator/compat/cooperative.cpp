/// @file
/// @brief Cooperative launches: grids whose blocks wait for each other, each on its own OS thread.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "../worker.hpp"
#include "launches.h"
#include "warps.h"

namespace sim {
namespace {

std::mutex grid_lock;
std::condition_variable released;
std::uint64_t blocks_that_wait = 0, generation = 0;
bool cooperative_grid = false;

}  // namespace

CooperativeLaunch::CooperativeLaunch() {
    launches_cooperatively = cooperative_grid = true;
    blocks_that_wait = 0;
}
CooperativeLaunch::~CooperativeLaunch() { launches_cooperatively = cooperative_grid = false; }

bool is_cooperative() { return cooperative_grid; }

void grid_barrier(Site site) {
    if (!cooperative_grid)
        running_worker->fail("waits for the grid, which cudaLaunchCooperativeKernel has not launched");
    barrier(false, site);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        std::unique_lock lock(grid_lock);
        const std::uint64_t mine = generation;
        if (++blocks_that_wait == std::uint64_t{gridDim.x} * gridDim.y * gridDim.z) {
            blocks_that_wait = 0;
            ++generation;
            released.notify_all();
        }
        // A block that has failed never arrives.
        while (generation == mine && !running_worker->grid_failed())
            released.wait_for(lock, std::chrono::milliseconds(10));
    }
    barrier(false, site);
}

unsigned int converged_lanes(Site site) {
    return running_worker == nullptr ? 0 : running_worker->gather(site);
}

}  // namespace sim
