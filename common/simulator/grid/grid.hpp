/// @file
/// @brief A running grid.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "../faults/report.hpp"
#include "cuda_runtime.h"
#include "device.hpp"

namespace sim {

using NestedLaunches = std::vector<std::function<void()>>;
using Arguments = std::vector<Argument>;

class Crew;

/// A running grid, shared by its workers.
struct Grid {
    const Kernel kernel;
    const LaunchConfig config;
    const SharedLimit shared_limit;
    const ThreadLoop loop;
    const void* const call;
    const Arguments arguments;
    const std::uint64_t blocks;    ///< how many run
    const std::uint64_t left_out;  ///< how many are skipped between the two halves of those that run
    const std::uint64_t seed;
    const std::uint64_t timeout;  ///< how many seconds a worker may make no progress; 0: any number
    const bool early_exit;        ///< whether threads may return before their block's first barrier
    const bool advises;           ///< whether messages may name settings such as CUDA_SIM_TIMEOUT
    std::uint64_t first_block = 0, block_stride = 1;  ///< the order of the blocks

    std::atomic<std::uint64_t> next_block{0};
    std::atomic<bool> failed{false};
    std::atomic<bool> said_slow{false};
    std::atomic<bool> prints{false};
    std::mutex lock{};
    Report report{};  ///< describes the fault, if there was one
    NestedLaunches nested{};
    Crew* crew = nullptr;
    std::uint64_t blocks_at_barrier = 0;  ///< arrivals of blocks at barriers of the grid
    std::optional<uint3> ended_block{};   ///< the first block of a cooperative grid to end

    /// @return The number of a block that no worker has taken yet; nothing if none is left or a block has
    /// failed.
    std::optional<std::uint64_t> take_block() {
        const std::uint64_t k = failed ? blocks : next_block.fetch_add(1);
        if (k >= blocks) return std::nullopt;
        const std::uint64_t block = (first_block + k * block_stride) % blocks;
        return block < blocks / 2 ? block : block + left_out;
    }

    /// Ends the grid with a fault, unless it already has one. Adds the kernel and its launch to the message.
    void fail(Report its);
};

/// Called before a kernel launches a kernel. Stops the thread if kernels of this program may not launch any.
void require_nested_launches(const Kernel& kernel);
/// Delays a launch by a kernel until the running grid has ended.
void launch_nested(std::function<void()> run);
/// Runs the grids that a grid's kernel has launched.
void run_nested(const NestedLaunches& launches);

}  // namespace sim
