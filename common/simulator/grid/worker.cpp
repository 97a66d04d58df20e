/// @file
/// @brief How a worker runs a block: it starts all threads, then resumes those that wait.
#include "worker.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <random>
#include <string>

#include "../faults/watchdog.hpp"
#include "../instrument/observer.hpp"

namespace sim {

constinit thread_local Worker* running_worker = nullptr;

Worker::Worker() : fibers_(kMaxThreadsPerBlock, [this] { call_kernel(); }) {}

/// What each fiber does.
void Worker::call_kernel() {
    std::string what;
    try {
        return grid_->loop(grid_->call, threads_);
    } catch (const std::exception& error) {
        what = std::string(" (") + error.what() + ")";
    } catch (...) {}
    threads_.in_kernel = false;
    record_fault(FaultKind::other, cudaErrorLaunchFailure,
                 thread_text() + " throws an exception" + what + "; GPUs have no exceptions");
}

void Worker::run(Grid& grid) {
    trap_stack_.begin();
    running_worker = this;

    begin_grid(grid);
    std::optional<platform::Ticks> ticks(std::in_place, grid.timeout, kTicks);
    while (!grid.failed) {
        const std::uint64_t k = grid.next_block.fetch_add(1);
        if (k >= grid.blocks) break;
        const std::uint64_t block = (grid.first_block + k * grid.block_stride) % grid.blocks;
        run_block(block < grid.blocks / 2 ? block : block + grid.left_out);
    }

    ticks.reset();
    running_worker = nullptr;
    trap_stack_.end();
}

/// Prepares what the blocks of a grid have in common.
void Worker::begin_grid(Grid& grid) {
    grid_ = &grid;
    progress_ = {};
    const dim3 block = grid.config.block;
    gridDim = grid.config.grid;
    blockDim = block;
    threads_.count = 0;
    for (unsigned int z = 0; z < block.z; ++z)
        for (unsigned int y = 0; y < block.y; ++y)
            for (unsigned int x = 0; x < block.x; ++x) threads_.all[threads_.count++].index = {x, y, z};
    for (unsigned int i = 0; i < threads_.count; ++i) threads_.order[i] = &threads_.all[i];
    dynamic_shared.memory = shared_.begin_grid(grid.config.dynamic_shared_bytes);
}

/// Orders the threads by a seed, whatever their order was before.
void Worker::shuffle_threads(std::uint64_t seed) {
    for (unsigned int i = 0; i < threads_.count; ++i) threads_.order[i] = &threads_.all[i];
    std::shuffle(threads_.order, threads_.order + threads_.count, std::mt19937_64(seed));
}

void Worker::begin_block(std::uint64_t block) {
    const dim3& grid = grid_->config.grid;
    blockIdx = {static_cast<unsigned int>(block % grid.x), static_cast<unsigned int>(block / grid.x % grid.y),
                static_cast<unsigned int>(block / grid.x / grid.y)};
    ++block_serial;
    shared_.begin_block();

    if (grid_->seed != 0) shuffle_threads(grid_->seed + block);
    threads_.started = threads_.waiting = 0;
    threads_.live = threads_.count;
    barrier_ = {};
    pauses_ = {grid_->seed + block, false};
    faulted_ = has_waited_ = false;
    if (observer != nullptr) observer->block_begins(*this, block);
}

void Worker::run_block(std::uint64_t block) {
    begin_block(block);
    while (threads_.started < threads_.count && !faulted_) {
        // The thread to name if the frame of `run_threads`, with the kernel's variables, does not fit.
        threads_.current = threads_.order[threads_.started];
        // Each fiber starts at least one thread, so no other fiber of the block has this number.
        fibers_.start(threads_.started);
    }
    while (threads_.live > 0 && !faulted_) {
        if (!resume_ready_threads() && !release_gatherings())
            record_fault(FaultKind::deadlock, cudaErrorLaunchTimeout,
                         "deadlock: no thread can continue: " + waiting_threads());
    }
    if (const std::string damage = shared_.damage(); !damage.empty() && !faulted_)
        record_fault(FaultKind::address, cudaErrorIllegalAddress, "a thread has written " + damage);
    if (observer != nullptr) observer->block_ends(*this);
    if (grid_->config.cooperative) {
        const std::lock_guard lock(grid_->lock);
        if (!grid_->ended_block) grid_->ended_block = blockIdx;
    }
    // Threads that still wait are never resumed, like those of a failed grid on a GPU.
    if (faulted_) fibers_.forget(threads_.count);
}

/// Resumes each thread whose wait is over, until it waits again or returns. @return Whether there was one.
bool Worker::resume_ready_threads() {
    bool any = false;
    for (unsigned int place = 0; place < threads_.count && !faulted_; ++place) {
        Thread* const thread = threads_.order[place];
        if (thread->state != ThreadState::ready) continue;
        any = true;
        threads_.make_current(thread);
        fibers_.resume(thread->fiber);
    }
    return any;
}

}  // namespace sim
