/// @file
/// @brief The threads of a block, and the loop that runs the kernel for one thread after another.
#pragma once

#include "kernel.h"

/// Marks functions of the simulator that are compiled together with a kernel. Where the kernel's threads are
/// interrupted between their accesses (instrument/interleave.cpp), these functions are not.
#define SIM_UNINTERRUPTED __attribute__((no_sanitize("thread")))

namespace sim {

constexpr unsigned int kMaxThreadsPerBlock = 1024;  ///< as on every GPU

/// What a thread of the block is doing.
enum class ThreadState : unsigned char {
    unstarted,  ///< used only in blocks in which a thread has waited
    runs,
    ready,       ///< it has waited, and can continue
    at_barrier,  ///< it waits for the block
    at_warp,     ///< it waits for lanes of its warp
    returned,
};

class Chained;
inline thread_local const Chained* chained = nullptr;  ///< the marked statement that is running, or null

/// @brief An object that exists while a marked statement runs, such as `v += __shfl_down_sync(mask, v, d);`.
///
/// The translator marks a statement if the variable's new value certainly depends on what the shuffle
/// returns. Several such statements may be the steps of a reduction (grid/chains.hpp).
class Chained {
 public:
    /// @param its_variable The name of the variable that is assigned to.
    /// @param its_fold     The operator that combines the old value with the shuffled one, such as `+`; `,`
    /// for a minimum or maximum, `=` for a broadcast.
    SIM_UNINTERRUPTED Chained(const char* its_variable, char its_fold)
        : variable(its_variable), fold(its_fold) {
        chained = this;
    }
    SIM_UNINTERRUPTED ~Chained() { chained = nullptr; }
    Chained(const Chained&) = delete;
    Chained& operator=(const Chained&) = delete;

    const char* const variable;
    const char fold;
};

/// Everything that the simulator stores about one simulated thread.
struct Thread {
    uint3 index;  ///< its `threadIdx`
    ThreadState state;
    // If the thread has waited:
    unsigned int fiber;  ///< the number of the fiber that it runs on
    // If it waits for lanes of its warp:
    unsigned int mask;     ///< the lanes that meet, with its own; 0: any lanes (`gather`)
    const char* function;  ///< the warp function that it has called
    std::uint64_t value;   ///< what it passes; after a shuffle, what it has received
    WarpValues* result;    ///< where it receives what all lanes have passed; null for a shuffle
    unsigned int source;   ///< the lane from which a shuffle takes the value
    const Chained* chain;  ///< the statement that the shuffle is in, if it is marked
    // If it waits at a barrier or for its warp:
    Site site;  ///< the line
};

/// Called when a thread returns while others wait: those that were waiting only for this thread become ready.
void returned_while_others_wait();

/// @brief The threads of the block that an OS thread runs.
///
/// A thread that never waits costs a few nanoseconds: one iteration of the loop in `run_threads`.
struct Threads {
    Thread all[kMaxThreadsPerBlock];     ///< by their number in the block, x varying fastest
    Thread* order[kMaxThreadsPerBlock];  ///< the same threads, in the order in which they run
    unsigned int count = 0;              ///< how many threads the block has
    unsigned int started = 0;            ///< how many have started
    unsigned int live = 0;               ///< how many have not returned
    unsigned int waiting = 0;            ///< how many wait, at a barrier or for their warp
    Thread* current = nullptr;           ///< the running thread
    volatile bool in_kernel = false;     ///< whether the running thread executes the kernel's code, not the
                                         ///< simulator's; read by signal handlers

    /// A thread's number in the block.
    unsigned int number(const Thread& thread) const { return static_cast<unsigned int>(&thread - all); }

    /// Makes a thread the running one.
    void make_current(Thread* thread) {
        current = thread;
        threadIdx = thread->index;
        thread->state = ThreadState::runs;
    }

    /// Makes the next thread of the block the running one. @return false if all have started.
    SIM_UNINTERRUPTED bool start_next() {
        if (started == count) return false;
        make_current(order[started++]);
        in_kernel = true;
        return true;
    }

    /// Called when the running thread has returned from the kernel.
    SIM_UNINTERRUPTED void finish() {
        in_kernel = false;
        current->state = ThreadState::returned;
        --live;
        if (waiting != 0) returned_while_others_wait();
    }
};

/// Calls the kernel for one thread after another, until all threads of the block have started. While a call
/// waits, this loop may also run on another fiber and start further threads.
/// @param call Points to a `const Call`, which calls the kernel with its arguments.
template <typename Call>
SIM_UNINTERRUPTED void run_threads(const void* call, Threads& threads) {
    while (threads.start_next()) {
        (*static_cast<const Call*>(call))();
        threads.finish();
    }
}

/// A pointer to `run_threads` for one type of call. The simulator itself is compiled without knowing this
/// type.
using ThreadLoop = void (*)(const void* call, Threads& threads);

}  // namespace sim
