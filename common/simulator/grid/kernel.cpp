/// @file
/// @brief What a kernel calls, as kernel.h declares it: shared memory, barriers, warp exchanges.
///
/// A thread that waits leaves its fiber (`Worker::leave`). The last thread to arrive makes all of them ready,
/// and `Worker::resume_ready_threads` resumes them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "../instrument/observer.hpp"
#include "worker.hpp"

namespace sim {

/// The worker that runs the calling kernel. Ends the program if its CPU code has called the kernel.
static Worker& worker_of_kernel(const char* what) {
    if (running_worker == nullptr) {
        std::fprintf(stderr,
                     "simulator: the CPU uses %s, which is for kernels. A kernel is launched with <<<grid, "
                     "block>>>\n",
                     what);
        std::exit(1);
    }
    return *running_worker;
}

// --- Shared memory ------------------------------------------------------------------------------

void begin_shared(SharedPlace& place, const void* declaration, const SharedVariable& variable) {
    if (place.block == block_serial) return;  // done by another thread while this one was interrupted
    place.address = worker_of_kernel("shared memory").begin_shared(declaration, variable);
    place.block = block_serial;
}

void* Worker::begin_shared(const void* declaration, const SharedVariable& variable) {
    const InSimulator here(*this);
    void* const address = shared_.begin(declaration, variable);
    if (observer != nullptr) observer->shared_begins(*this, static_cast<const char*>(address), variable);
    if (shared_.static_bytes() > kStaticSharedBytes ||
        shared_.static_bytes() + grid_->config.dynamic_shared_bytes > grid_->shared_limit.all_bytes) {
        record_too_much_shared();
        fibers_.give_up();
    }
    return address;
}

// --- Waiting ------------------------------------------------------------------------------------

/// Makes the running thread wait from now on.
void Worker::begin_wait(Thread& thread, ThreadState state, Site site) {
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
    ++progress_.waits;
    if (gets_nowhere()) stop_without_progress();
}

// --- Barriers -----------------------------------------------------------------------------------

int barrier(bool predicate, Site site) {
    return worker_of_kernel("a barrier").wait_at_barrier(predicate, site);
}

int Worker::wait_at_barrier(bool predicate, Site site) {
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

void Worker::release_barrier() {
    if (barrier_.diverged) {
        record_fault(FaultKind::barrier, cudaErrorLaunchFailure, "divergent barrier: " + waiting_threads());
        fibers_.give_up();
    }
    if (barrier_.arrived < threads_.count && !grid_->early_exit) {
        record_fault(
            FaultKind::barrier, cudaErrorLaunchFailure,
            "barrier left out: " + waiting_threads(true) +
                ". __syncthreads() in a branch is for all threads of a block or for none" +
                (grid_->advises ? "; if some return early on purpose, declare it (.early_exit of a variant)"
                                : ""));
        fibers_.give_up();
    }
    if (observer != nullptr) observer->barrier(*this, barrier_.site);
    for (unsigned int i = 0; i < threads_.count; ++i)
        if (threads_.all[i].state == ThreadState::at_barrier) threads_.all[i].state = ThreadState::ready;
    threads_.waiting -= barrier_.arrived;
    barrier_.result = std::exchange(barrier_.votes, 0);
    barrier_.arrived = 0;
}

// --- Warps --------------------------------------------------------------------------------------

WarpValues warp_exchange(const char* function, unsigned int mask, std::uint64_t value, Site site) {
    WarpValues result;
    worker_of_kernel(function).exchange(function, mask, value, site, &result, 0);
    return result;
}

std::uint64_t warp_shuffle(const char* function, unsigned int mask, std::uint64_t value, unsigned int source,
                           Site site) {
    return worker_of_kernel(function).exchange(function, mask, value, site, nullptr, source);
}

/// @return What the lane has received from lane `source`, if `result` is null.
std::uint64_t Worker::exchange(const char* function, unsigned int mask, std::uint64_t value, Site site,
                               WarpValues* result, unsigned int source) {
    const InSimulator here(*this);
    Thread& thread = *threads_.current;
    if ((mask >> threads_.number(thread) % warpSize & 1) == 0) {
        record_wrong_mask(function, site);
        fibers_.give_up();
    }
    thread.function = function;
    thread.mask = mask;
    thread.value = value;
    thread.result = result;
    thread.source = source;
    begin_wait(thread, ThreadState::at_warp, site);
    if (complete_exchange(thread)) {
        thread.state = ThreadState::runs;
    } else {
        leave(thread);
    }
    return thread.value;
}

/// If all live lanes of a waiting thread's mask have arrived, gives each of them the values of all, and
/// makes them ready.
bool Worker::complete_exchange(const Thread& first) {
    const unsigned int warp = threads_.number(first) / warpSize * warpSize;
    const unsigned int lanes = std::min<unsigned int>(warpSize, threads_.count - warp);
    WarpValues all;
    if (first.mask == 0) return false;  // compat/converged.cpp
    // The lane that was missing last time comes first. As long as it is missing, no other lane is looked at.
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
    for (unsigned int i = 0; i < warpSize; ++i)
        if ((all.lanes >> i & 1) == 0) std::memset(&all.value[i], kPoison, sizeof(all.value[i]));
    for (unsigned int i = 0; i < warpSize; ++i) {
        if ((all.lanes >> i & 1) == 0) continue;
        Thread& lane = threads_.all[warp + i];
        if (lane.result != nullptr)
            *lane.result = all;
        else
            lane.value = all.value[lane.source];
        lane.state = ThreadState::ready;
        --threads_.waiting;
    }
    return true;
}

void fence(bool of_block) {
    __sync_synchronize();
    if (observer == nullptr || running_worker == nullptr) return;
    const Worker::InSimulator here(*running_worker);
    observer->fence(*running_worker, of_block);
}

// --- Threads that return ------------------------------------------------------------------------

void returned_while_others_wait() { running_worker->others_may_continue(); }

/// The running thread has returned. Barriers and warps wait only for live threads.
void Worker::others_may_continue() {
    if (barrier_.arrived != 0 && barrier_.arrived == threads_.live) release_barrier();
    const unsigned int warp = threads_.number(*threads_.current) / warpSize * warpSize;
    for (unsigned int i = warp; i < std::min(warp + warpSize, threads_.count); ++i)
        if (threads_.all[i].state == ThreadState::at_warp) complete_exchange(threads_.all[i]);
}

// --- The clock ----------------------------------------------------------------------------------

long long device_clock() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace sim
