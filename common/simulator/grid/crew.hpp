/// @file
/// @brief The workers of a running grid.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "grid.hpp"

namespace sim {

/// The most workers with guarded stacks. Each has up to 1024 stacks and as many guards, and Linux allows a
/// process 65,530 mappings.
constexpr std::size_t kMostGuardedWorkers = 24;
/// The most workers for a grid whose blocks wait for each other, unless it is cooperative.
constexpr std::size_t kMostAddedWorkers = 128;

/// @brief The OS threads that run a grid's blocks: the one that launches the grid, and others that exist only
/// while the grid runs.
///
/// If the blocks of all workers spin, perhaps because they wait for a block that has not begun, more workers
/// are added, up to one for each block that a device would run at the same time. Added workers that spin then
/// sleep, each for a while or until another block makes progress, and leave the cores to blocks that have
/// work to do.
class Crew {
 public:
    /// @param[in] count How many workers suffice if blocks do not wait for each other.
    /// @param[in] most How many workers there may be.
    Crew(Grid& grid, std::size_t count, std::size_t most) : grid_(grid), planned_(count), most_(most) {
        grid.crew = this;
    }
    /// Runs the grid. @param[in] count How many workers begin. @return How many there were at the end.
    std::size_t run(std::size_t count);

    /// What a worker knows about the others.
    struct Member {
        bool is_added = false;  ///< started because others were spinning
        std::uint64_t seen_progress = 0;
    };
    /// Called when the worker's block has made no progress for `ticks` ticks: perhaps it waits for a block
    /// that must be given a worker or a core.
    void give_way(Member& member, std::uint64_t ticks);
    /// Counts a tick of a worker.
    /// @return Whether all workers together have had `ticks` ticks per planned worker since the grid began.
    bool works_since(std::uint64_t ticks) { return ++ticks_ >= ticks * planned_; }
    /// Called when a block has made progress.
    void note_progress() {
        if (sleeping_ != 0) ++progress_;
    }

 private:
    void start(std::size_t until);
    void add();
    void sleep(Member& member);

    Grid& grid_;
    const std::size_t planned_, most_;
    std::mutex lock_;  ///< held while `others_` and `size_` change
    std::vector<std::thread> others_;
    std::size_t size_ = 0;
    std::atomic<std::size_t> awake_{0}, sleeping_{0}, turns_{0};  ///< `turns_`: how many workers may wake up
    std::atomic<std::uint64_t> progress_{0}, ticks_{0};
    std::atomic<bool> is_complete_{false};  ///< no worker can be added
};

}  // namespace sim
