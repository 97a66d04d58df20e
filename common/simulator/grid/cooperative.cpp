/// @file
/// @brief Cooperative launches: grids whose blocks wait for each other, each on its own OS thread.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "../instrument/observer.hpp"
#include "block.hpp"
#include "simulator/cooperation.h"

namespace sim {

bool is_cooperative() { return running_block->grid().config.cooperative; }

/// Waits for all blocks of a cooperative grid. Called by one thread of each block.
static void wait_for_blocks(Grid& grid, Site site) {
    static std::condition_variable_any released;  // shared by all grids, each with its lock
    std::optional<uint3> missing;
    {
        const Block::InSimulator here(*running_block);
        std::unique_lock lock(grid.lock);
        const std::uint64_t number = grid.blocks_at_barrier++ / grid.blocks;
        if (observer != nullptr) observer->grid_barrier(*running_block, number);
        released.notify_all();
        // A block that has failed or ended never arrives.
        while (grid.blocks_at_barrier < (number + 1) * grid.blocks && !grid.failed &&
               !(missing = grid.ended_block))
            released.wait_for(lock, std::chrono::milliseconds(10));
        if (observer != nullptr) observer->grid_barrier(*running_block, number);
    }
    if (missing) running_block->stop(ended_block, *missing, site);
    running_block->stop_if_due();
}

void grid_barrier(Site site) {
    if (!is_cooperative()) running_block->stop(wait_for_ordinary_grid);
    barrier(false, site);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        wait_for_blocks(running_block->grid(), site);
    barrier(false, site);
}

}  // namespace sim
