/// @file
/// @brief A block: its threads, and how they start, wait and end.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "../faults/report.hpp"
#include "../faults/watchdog.hpp"
#include "../memory/shared_memory.hpp"
#include "chains.hpp"
#include "crew.hpp"
#include "cuda_runtime.h"
#include "fiber.hpp"
#include "grid.hpp"

namespace sim {

/// @brief The block that an OS thread runs. The same object runs one block after another.
///
/// A fiber calls the kernel as a plain function for threads 0, 1, 2, … A thread that waits keeps its fiber,
/// and another fiber continues with the threads that have not started. Once all have started, those whose
/// wait is over are resumed, each in its own fiber.
class Block {
 public:
    /// @param[in] has_guards Whether an overflow of a thread's stack is detected.
    explicit Block(bool has_guards);

    /// Prepares for the blocks of a grid. @param[in] member The worker that runs them.
    void begin_grid(Grid& grid, Crew::Member& member);
    /// Runs a block of the grid. @param[in] number Its place in the grid, x varying fastest.
    void run(std::uint64_t number);
    /// Called at each tick of the worker's timer, on Linux by a signal handler, at any instruction.
    void tick();

    /// @name Called by the running thread
    /// @{
    void* begin_shared(const void* declaration, const SharedVariable& variable);
    int wait_at_barrier(bool predicate, Site site);
    /// Stores the values of all lanes in `result` or, if this is null, returns the value of lane `source`.
    std::uint64_t exchange(const char* function, unsigned int mask, std::uint64_t value, Site site,
                           WarpValues* result, unsigned int source);
    unsigned int gather(Site site);
    /// Lets the other threads of the block run first.
    void yield() {
        threads_.current->state = ThreadState::ready;
        leave_in_statement(*threads_.current);
    }
    void others_may_continue();
    /// Stops the thread if another block of the grid has failed, since this thread may be waiting for that
    /// block, or if its own block makes no progress.
    void stop_if_due();
    /// Sets whether the running thread holds a lock that threads of other workers may need. Until it has
    /// released the lock, ticks neither stop it nor let it sleep.
    void hold_lock(bool holds) { holds_lock_ = holds; }
    /// Stops the thread for a fault that a function of report.hpp describes. Its stack is abandoned: no
    /// destructor of its frames runs. Not declared [[noreturn]]: before a call of a [[noreturn]] function,
    /// AddressSanitizer takes a lock of the C library, and a tick could stop the thread while it holds this
    /// lock.
    template <typename... Arguments>
    void stop(Report (*report)(const Block&, Arguments...), std::type_identity_t<Arguments>... arguments) {
        threads_.in_kernel = false;
        fail(report(*this, arguments...));
        fibers_.give_up();
    }
    /// @}

    std::uint64_t number() const { return number_; }
    Grid& grid() const { return *grid_; }
    const Threads& threads() const { return threads_; }
    const SharedMemory& shared() const { return shared_; }
    const Watchdog& watchdog() const { return watchdog_; }
    /// Whether a variable of the running thread is undefined after a shuffle (chains.hpp).
    bool is_undefined() const { return chains_.is_undefined(threads_.number(*threads_.current)); }
    /// Whether the running thread's access to this address failed because its stack is full.
    bool is_stack_overflow(const void* address) const { return fibers_.is_stack_overflow(address); }

    /// During its lifetime, the running thread is in the simulator's code and must not be interrupted.
    struct InSimulator {
        explicit InSimulator(Block& block)
            : threads(block.threads_), was_in_kernel(std::exchange(threads.in_kernel, false)) {}
        ~InSimulator() { threads.in_kernel = was_in_kernel; }
        InSimulator(const InSimulator&) = delete;
        InSimulator& operator=(const InSimulator&) = delete;
        Threads& threads;
        const bool was_in_kernel;
    };

 private:
    void begin(std::uint64_t number);
    /// The function that each fiber calls.
    struct CallKernel {
        Block& block;
        void operator()() const;
    };
    void begin_wait(Thread& thread, ThreadState state, Site site);
    /// Called by a thread that waits: suspends its fiber, and returns when the thread is resumed.
    [[gnu::always_inline]] void leave(Thread& thread) {
        thread.fiber = fibers_.running();
        if (Thread* const next = next_ready())
            fibers_.leave_for(next->fiber);
        else
            fibers_.leave();
    }
    /// Like `leave`, for a thread that may be in a marked statement (`Chained`), before its shuffle.
    void leave_in_statement(Thread& thread) {
        const Chained* const its = std::exchange(chained, nullptr);
        leave(thread);
        chained = its;
    }
    void release_barrier();
    bool release_lanes(const Thread& first);
    void follow_chain(unsigned int warp, const WarpValues& all);
    bool release_gatherings();
    void release(Thread& thread) {
        thread.state = ThreadState::ready;
        --threads_.waiting;
    }
    bool resume_ready_threads();
    Thread* next_ready();
    void fail(Report report) {
        has_failed_ = true;
        grid_->fail(std::move(report));
    }

    Grid* grid_ = nullptr;
    Crew::Member* member_ = nullptr;  ///< the worker that runs the block
    std::uint64_t number_ = 0;
    bool has_failed_ = false;
    bool has_waited_ = false;  ///< whether a thread of the block has waited
    unsigned int place_ = 0;   ///< where in `threads_.order` to look for the next thread to resume
    Threads threads_;
    Fibers<CallKernel> fibers_;

    volatile bool holds_lock_ = false;  // read by signal handlers
    /// The barrier at which threads of the block wait, and what the last thread to arrive tells them.
    struct Barrier {
        unsigned int arrived = 0;
        unsigned int before = 0;  ///< how many threads met at the block's last barrier
        int votes = 0, result = 0;
        Site site{};  ///< where the first thread to arrive waits
        bool diverged = false;
    } barrier_;

    Chains chains_;
    unsigned int missing_lanes_[kMaxThreadsPerBlock / warpSize]{};  ///< the one last missing in each warp

    SharedMemory shared_;
    Watchdog watchdog_;
};

/// The block whose simulated thread runs on this OS thread, or null in host code.
extern constinit thread_local Block* running_block;

}  // namespace sim
