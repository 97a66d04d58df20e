/// @file
/// @brief Starts workers: when a grid begins, and when the blocks of all workers spin.
#include "crew.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "../faults/faults.hpp"
#include "../platform/platform.hpp"
#include "worker.hpp"

namespace sim {
namespace {

/// @return The worker with this number. Earlier grids may have used it. @throws std::bad_alloc.
Worker& worker(std::size_t number) {
    static auto* const pool =
        new std::vector<std::unique_ptr<Worker>>;  // never destroyed: a kernel may call exit()
    while (number >= pool->size())
        pool->push_back(std::make_unique<Worker>(pool->size() < kMostGuardedWorkers));
    return *(*pool)[number];
}

}  // namespace

/// Starts workers until there are `until`. The first one belongs to the launching OS thread; each of the
/// others gets a new OS thread. @throws std::bad_alloc, and std::system_error.
void Crew::start(std::size_t until) {
    for (; size_ < until; ++size_) {
        if (size_ == platform::most_threads()) throw std::bad_alloc();
        Worker& next = worker(size_);
        if (size_ == 0) continue;
        others_.emplace_back([this, &next, member = Member{size_ >= planned_, progress_}]() mutable {
            next.run(grid_, member);
            --awake_;
        });
        ++awake_;
    }
}

std::size_t Crew::run(std::size_t count) {
    [[maybe_unused]] static const int watched = std::atexit(refuse_exit_of_kernel);
    awake_ = 1;
    try {
        const std::lock_guard lock(lock_);
        start(std::clamp(count, planned_, most_));
    } catch (const std::exception&) {  // no more threads, or no memory for stacks: fewer workers do the work
        is_complete_ = true;
        if (size_ == 0) {
            grid_.fail(
                {cudaErrorMemoryAllocation, {.message = ": no memory for the stacks of a block's threads"}});
            return 0;
        }
        if (grid_.config.cooperative)
            grid_.fail({cudaErrorCooperativeLaunchTooLarge,
                        {.message = ": a cooperative grid needs an OS thread for each block, but only " +
                                    std::to_string(size_) + " of " + std::to_string(planned_) +
                                    " could be started"}});
    }
    Member first;
    worker(0).run(grid_, first);
    --awake_;
    for (std::unique_lock lock(lock_); !others_.empty(); lock.lock()) {
        std::thread last = std::move(others_.back());
        others_.pop_back();
        lock.unlock();
        last.join();
    }
    return size_;
}

void Crew::add() {
    const std::lock_guard lock(lock_);
    // Another worker may just have added some. A debugger may have stopped the blocks that seem to spin.
    if (awake_ > planned_ || platform::is_debugged()) return;
    try {
        start(std::min(2 * size_, most_));
    } catch (const std::exception&) {
        is_complete_ = true;
    }
    if (size_ == most_) is_complete_ = true;
}

void Crew::give_way(Member& member, std::uint64_t ticks) {
    constexpr std::uint64_t kTicksPerTurn = 4;  // few, because some blocks may never make progress
    if (grid_.config.cooperative) return;
    if (std::exchange(member.seen_progress, progress_) != progress_)
        return;  // the member's block may now be able to continue
    if (awake_ > planned_) {
        if (member.is_added) sleep(member);
    } else if (grid_.next_block < grid_.blocks && !is_complete_) {
        add();
    } else if (turns_ < sleeping_ && ticks % kTicksPerTurn == 0) {
        ++turns_;
    }
}

/// Waits until another block makes progress, the worker's turn comes, or a core is free.
void Crew::sleep(Member& member) {
    const auto takes_turn = [this] {
        std::size_t turns = turns_;
        while (turns != 0)
            if (turns_.compare_exchange_weak(turns, turns - 1)) return true;
        return false;
    };
    ++sleeping_;
    --awake_;
    while (!grid_.failed && progress_ == member.seen_progress && awake_ >= planned_ && !takes_turn())
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++awake_;
    --sleeping_;
}

}  // namespace sim
