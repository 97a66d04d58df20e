/// @file
/// @brief The life of a thread: it starts, waits at a barrier or for lanes of its warp, is released by the
/// last one to arrive, is resumed, and returns.
#include "block.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <random>
#include <string>

#include "../faults/errors.hpp"
#include "../instrument/observer.hpp"
#include "simulator/cooperation.h"

namespace sim {

constinit thread_local Block* running_block = nullptr;

// --- Start --------------------------------------------------------------------------------------

// Inlined, because in a browser, each switch unwinds and rewinds all calls on a stack, which takes time for
// each call (platform/web/contexts.cpp).
[[gnu::always_inline]] inline void Block::CallKernel::operator()() const {
    std::string what;
    try {
        return block.grid_->loop(block.grid_->call, block.threads_);
    } catch (const std::exception& error) {
        what = std::string(" (") + error.what() + ")";
    } catch (...) {}
    block.threads_.in_kernel = false;
    block.fail(thrown_exception(block, what));
}

Block::Block(bool has_guards) : fibers_(kMaxThreadsPerBlock, CallKernel{*this}) {
    if (!has_guards) fibers_.leave_out_guards();
}

void Block::begin_grid(Grid& grid, Crew::Member& member) {
    grid_ = &grid;
    member_ = &member;
    watchdog_ = Watchdog(grid.timeout);
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

void Block::begin(std::uint64_t number) {
    const dim3& grid = grid_->config.grid;
    blockIdx = {static_cast<unsigned int>(number % grid.x),
                static_cast<unsigned int>(number / grid.x % grid.y),
                static_cast<unsigned int>(number / grid.x / grid.y)};
    number_ = number;
    ++block_serial;
    shared_.begin_block();

    if (grid_->seed != 0) {  // the previous block's order must not matter
        for (unsigned int i = 0; i < threads_.count; ++i) threads_.order[i] = &threads_.all[i];
        std::shuffle(threads_.order, threads_.order + threads_.count, std::mt19937_64(grid_->seed + number));
    }
    threads_.started = threads_.waiting = 0;
    place_ = threads_.count;  // while threads start, none is resumed
    threads_.live = threads_.count;
    barrier_ = {};
    has_failed_ = has_waited_ = false;
    chained = nullptr;
    chains_.forget();
    if (observer != nullptr) observer->block_begins(*this, number);
}

void Block::run(std::uint64_t number) {
    begin(number);
    while (threads_.started < threads_.count && !has_failed_) {
        // Until `run_threads` starts a thread, a message about a stack overflow names this one.
        threads_.current = threads_.order[threads_.started];
        // Each fiber starts at least one thread, so no other fiber of the block has this number.
        fibers_.start(threads_.started);
    }
    while (threads_.live > 0 && !has_failed_)
        if (!resume_ready_threads() && !release_gatherings()) fail(deadlock(*this));
    if (const std::string damage = shared_.damage(); !damage.empty() && !has_failed_)
        fail(damaged_shared(damage));
    if (observer != nullptr) observer->block_ends(*this);
    if (grid_->config.cooperative) {
        const std::lock_guard lock(grid_->lock);
        if (!grid_->ended_block) grid_->ended_block = blockIdx;
    }
    // Threads that still wait are never resumed, like those of a failed grid on a GPU.
    if (has_failed_) fibers_.forget(threads_.count);
}

void* Block::begin_shared(const void* declaration, const SharedVariable& variable) {
    const InSimulator here(*this);
    void* const address = shared_.begin(declaration, variable);
    if (observer != nullptr) observer->shared_begins(*this, static_cast<const char*>(address), variable);
    if (shared_.static_bytes() > kStaticSharedBytes ||
        shared_.static_bytes() + grid_->config.dynamic_shared_bytes > grid_->shared_limit.all_bytes)
        stop(too_much_shared);
    return address;
}

// --- Wait ---------------------------------------------------------------------------------------

/// Records that the running thread waits from now on.
void Block::begin_wait(Thread& thread, ThreadState state, Site site) {
    if (!has_waited_) {
        // States matter only in blocks whose threads wait. All other blocks skip these loops.
        for (unsigned int i = threads_.started; i < threads_.count; ++i)
            threads_.order[i]->state = ThreadState::unstarted;
        for (unsigned int i = 0; i < threads_.count; ++i) threads_.all[i].site = {};
        has_waited_ = true;
    }
    thread.state = state;
    thread.site = site;
    ++threads_.waiting;
    watchdog_.thread_waits();
    if (watchdog_.gives_up()) stop(no_progress);
}

[[gnu::always_inline]] inline int Block::wait_at_barrier(bool predicate, Site site) {
    const InSimulator here(*this);
    if (barrier_.arrived == 0) barrier_.site = site;
    if (!(site == barrier_.site)) barrier_.diverged = true;
    ++barrier_.arrived;
    barrier_.votes += predicate;
    Thread& thread = *threads_.current;
    begin_wait(thread, ThreadState::at_barrier, site);
    if (barrier_.arrived < threads_.live) {
        leave(thread);
    } else {
        release_barrier();
        thread.state = ThreadState::runs;
    }
    return barrier_.result;
}

std::uint64_t Block::exchange(const char* function, unsigned int mask, std::uint64_t value, Site site,
                              WarpValues* result, unsigned int source) {
    const InSimulator here(*this);
    Thread& thread = *threads_.current;
    if ((mask >> threads_.number(thread) % warpSize & 1) == 0) stop(wrong_mask, function, site);
    thread.function = function;
    thread.mask = mask;
    thread.value = value;
    thread.result = result;
    thread.source = source;
    thread.chain = result == nullptr ? std::exchange(chained, nullptr) : nullptr;
    begin_wait(thread, ThreadState::at_warp, site);
    if (release_lanes(thread)) {
        thread.state = ThreadState::runs;
    } else {
        leave(thread);
    }
    return thread.value;
}

/// Whether a thread waits in `gather`, for whichever lanes of its warp arrive.
static bool gathers(const Thread& thread) { return thread.state == ThreadState::at_warp && thread.mask == 0; }

/// @brief Waits for lanes of the warp to reach this line, for as long as any other thread of the block can
/// run.
/// @return The lanes that have reached it.
unsigned int Block::gather(Site site) {
    const InSimulator here(*this);
    Thread& thread = *threads_.current;
    thread.function = "a warp that converges";
    thread.mask = 0;  // which lanes will arrive is not known
    begin_wait(thread, ThreadState::at_warp, site);
    leave_in_statement(thread);
    return static_cast<unsigned int>(thread.value);
}

// --- Release ------------------------------------------------------------------------------------

/// Makes the threads at a barrier ready: all live threads have arrived.
void Block::release_barrier() {
    if (barrier_.diverged) stop(divergent_barrier);
    if (observer != nullptr) observer->barrier(*this, barrier_.site);
    // Even with `early_exit`, a thread may return early only before its first barrier.
    if (barrier_.arrived < (grid_->early_exit ? barrier_.before : threads_.count)) stop(skipped_barrier);
    for (unsigned int i = 0; i < threads_.count; ++i)
        if (threads_.all[i].state == ThreadState::at_barrier) threads_.all[i].state = ThreadState::ready;
    threads_.waiting -= barrier_.arrived;
    barrier_.before = barrier_.arrived;
    barrier_.result = std::exchange(barrier_.votes, 0);
    barrier_.arrived = 0;
    chains_.forget();
}

/// If all live lanes of a waiting thread's mask have arrived, gives each of these lanes the values of all,
/// and makes them ready. @return Whether they have.
bool Block::release_lanes(const Thread& first) {
    const unsigned int warp = threads_.number(first) / warpSize * warpSize;
    const unsigned int lanes = std::min<unsigned int>(warpSize, threads_.count - warp);
    WarpValues all;
    if (gathers(first)) return false;
    // The lane that was missing last time is tested first: as long as it is missing, no other test is needed.
    unsigned int& missing = missing_lanes_[warp / warpSize];
    for (unsigned int k = 0, begin = missing; k < warpSize; ++k) {
        const unsigned int i = (begin + warpSize - k) % warpSize;
        const Thread& other = threads_.all[warp + i];
        if ((first.mask >> i & 1) == 0 || i >= lanes || other.state == ThreadState::returned) continue;
        if (other.state != ThreadState::at_warp || other.mask != first.mask ||
            (other.function != first.function && std::strcmp(other.function, first.function) != 0)) {
            missing = i;
            return false;
        }
        all.lanes |= 1u << i;
        all.value[i] = other.value;
    }
    if (observer != nullptr) observer->warp_meets(*this, warp, all.lanes, first.function);
    if (first.chain != nullptr) follow_chain(warp, all);
    for (unsigned int i = 0; i < warpSize; ++i)
        if ((all.lanes >> i & 1) == 0) std::memset(&all.value[i], kPoison, sizeof(all.value[i]));
    for (unsigned int i = 0; i < warpSize; ++i) {
        if ((all.lanes >> i & 1) == 0) continue;
        Thread& lane = threads_.all[warp + i];
        if (lane.result != nullptr)
            *lane.result = all;
        else
            lane.value = all.value[lane.source];
        release(lane);
    }
    return true;
}

/// Follows the steps of reductions by shuffles, and reports a reduction whose result is undefined.
void Block::follow_chain(unsigned int warp, const WarpValues& all) {
    if (const auto undefined = chains_.step(threads_, warp, all))
        tell_mistake(undefined_result(*this, *undefined),
                     launch_text(grid_->kernel) + text(threads_.all[undefined->thread].site));
}

/// Makes all threads that wait in `gather` ready, and tells each which lanes of its warp wait on its line.
/// @return Whether there was such a thread.
bool Block::release_gatherings() {
    bool any = false;
    for (unsigned int i = 0; i < threads_.count; ++i) {
        const Thread& first = threads_.all[i];
        if (!gathers(first)) continue;
        any = true;
        const unsigned int end = std::min(i / warpSize * warpSize + warpSize, threads_.count);
        unsigned int lanes = 0;
        for (unsigned int j = i; j < end; ++j)
            if (gathers(threads_.all[j]) && threads_.all[j].site == first.site) lanes |= 1u << j % warpSize;
        for (unsigned int j = i; j < end; ++j) {
            if ((lanes >> j % warpSize & 1) == 0) continue;
            threads_.all[j].value = lanes;
            release(threads_.all[j]);
        }
    }
    return any;
}

// --- Resume -------------------------------------------------------------------------------------

/// Finds the next thread whose wait is over, and makes it the running one. @return Null if none is left.
Thread* Block::next_ready() {
    while (place_ < threads_.count && !has_failed_) {
        Thread* const thread = threads_.order[place_++];
        if (thread->state != ThreadState::ready) continue;
        threads_.make_current(thread);
        return thread;
    }
    return nullptr;
}

/// Runs each thread whose wait is over, until it waits again or returns. @return Whether there was one.
bool Block::resume_ready_threads() {
    bool any = false;
    place_ = 0;
    while (const Thread* const thread = next_ready()) {
        any = true;
        fibers_.resume(thread->fiber);
    }
    place_ = threads_.count;
    return any;
}

// --- Return -------------------------------------------------------------------------------------

/// The running thread has returned. Releases threads that only waited for it, at the barrier or in its warp.
void Block::others_may_continue() {
    if (barrier_.arrived != 0 && barrier_.arrived == threads_.live) release_barrier();
    const unsigned int warp = threads_.number(*threads_.current) / warpSize * warpSize;
    for (unsigned int i = warp; i < std::min(warp + warpSize, threads_.count); ++i)
        if (threads_.all[i].state == ThreadState::at_warp) release_lanes(threads_.all[i]);
}

// --- Stop ---------------------------------------------------------------------------------------

/// Stops a thread only in the kernel's code. A thread that is about to wait is stopped by `begin_wait`.
void Block::tick() {
    {
        const InSimulator here(*this);  // the next tick may arrive while this one is handled
        watchdog_.tick(threads_, *grid_, here.was_in_kernel);
        const std::uint64_t ticks = watchdog_.ticks_without_progress();
        if (here.was_in_kernel && !holds_lock_ && ticks >= 2) grid_->crew->give_way(*member_, ticks);
    }
    if (!threads_.in_kernel || holds_lock_) return;
    stop_if_due();
}

void Block::stop_if_due() {
    if (grid_->failed) {
        threads_.in_kernel = false;
        has_failed_ = true;
        fibers_.give_up();
    }
    // The functions of the standard library that `gives_up` calls may be a kernel file's copies, chosen by
    // the linker, and thus instrumented.
    const bool in_kernel = std::exchange(threads_.in_kernel, false);
    const bool gives_up = watchdog_.gives_up();
    threads_.in_kernel = in_kernel;
    if (gives_up) stop(no_progress);
}

// --- What kernels call, as kernel.h and cooperation.h declare it ---------------------------------

/// The block of the calling kernel. Ends the program if host code has called the kernel as a function.
static Block& block_of_kernel(const char* what) {
    if (running_block == nullptr) {
        tell("host code uses " + std::string(what) +
             ", which only kernels can use. Launch a kernel with <<<grid, block>>>");
        std::exit(1);
    }
    return *running_block;
}

void begin_shared(SharedPlace& place, const void* declaration, const SharedVariable& variable) {
    if (place.block == block_serial) return;  // another thread has done it while this one was interrupted
    place.address = block_of_kernel("shared memory").begin_shared(declaration, variable);
    place.block = block_serial;
}

int barrier(bool predicate, Site site) {
    return block_of_kernel("a barrier").wait_at_barrier(predicate, site);
}

WarpValues warp_exchange(const char* function, unsigned int mask, std::uint64_t value, Site site) {
    WarpValues result;
    block_of_kernel(function).exchange(function, mask, value, site, &result, 0);
    return result;
}

std::uint64_t warp_shuffle(const char* function, unsigned int mask, std::uint64_t value, unsigned int source,
                           Site site) {
    return block_of_kernel(function).exchange(function, mask, value, site, nullptr, source);
}

unsigned int converged_lanes(Site site) { return running_block == nullptr ? 0 : running_block->gather(site); }

void returned_while_others_wait() { running_block->others_may_continue(); }

void fence(bool of_block) {
    __sync_synchronize();
    if (observer == nullptr || running_block == nullptr) return;
    const Block::InSimulator here(*running_block);
    observer->fence(*running_block, of_block);
}

void atomic_scope(bool of_block) {
    if (observer == nullptr || running_block == nullptr) return;
    const Block::InSimulator here(*running_block);
    observer->atomic_scope(*running_block, of_block);
}

long long device_clock() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace sim
