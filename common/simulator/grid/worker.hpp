/// @file
/// @brief A running grid, and a worker: the part of it that one OS thread runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../memory/shared_memory.hpp"
#include "../platform/platform.hpp"
#include "cuda_runtime.h"
#include "device.hpp"
#include "fiber.hpp"
#include "simulator/fault.h"

namespace sim {

/// @return A kernel's name, and where it is launched.
std::string launch_text(const Kernel& kernel);

/// Adds to a fault which kernel's it is. Its message follows the words that name the launch.
Fault of_kernel(const Kernel& kernel, Fault fault);

using NestedLaunches = std::vector<std::function<void()>>;

/// A running grid, shared by its workers.
struct Grid {
    const Kernel kernel;
    const LaunchConfig config;
    const SharedLimit shared_limit;
    const ThreadLoop loop;
    const void* const call;
    const std::uint64_t blocks;    ///< how many run
    const std::uint64_t left_out;  ///< how many are skipped, after half of the others
    const std::uint64_t seed;
    const std::uint64_t timeout;  ///< how many seconds a worker may make no progress; 0: any number
    const bool early_exit;        ///< threads that have returned may leave out barriers
    const bool advises;           ///< messages end with what helps only those who write the whole program
    std::uint64_t first_block = 0, block_stride = 1;  ///< the order of the blocks

    std::atomic<std::uint64_t> next_block{0};
    std::atomic<bool> failed{false};
    std::atomic<bool> said_slow{false};
    std::mutex lock{};
    cudaError_t error = cudaSuccess;  ///< of a fault, if there was one
    Fault fault{};
    NestedLaunches nested{};
    std::uint64_t blocks_at_barrier = 0;  ///< how many have come to one of the grid (compat/cooperative.cpp)
    std::optional<uint3> ended_block{};   ///< the first of a cooperative grid that has ended

    /// Ends the grid with a fault, to which `of_kernel` adds the kernel, unless it has one.
    void fail(cudaError_t reason, Fault its);
};

/// @brief Runs one block at a time on the OS thread that calls it.
///
/// A fiber calls the kernel for threads 0, 1, 2, … as a plain function. When a thread waits, it keeps
/// this fiber, and another fiber continues with the threads that have not started. Once all have started,
/// those whose wait is over are resumed, each in its own fiber.
class Worker {
 public:
    Worker();

    /// For a worker that is one of many.
    void leave_out_guards() { fibers_.leave_out_guards(); }

    /// Takes blocks from the grid until none are left or one has failed.
    void run(Grid& grid);

    /// @name Called by the running simulated thread
    /// @{
    int wait_at_barrier(bool predicate, Site site);
    std::uint64_t exchange(const char* function, unsigned int mask, std::uint64_t value, Site site,
                           WarpValues* result, unsigned int source);
    unsigned int gather(Site site);
    [[noreturn]] void fail(std::string what);
    void launch(const Kernel& kernel, std::function<void()> run);
    Grid& grid() const { return *grid_; }
    void others_may_continue();
    /// Stops a thread that uses a redzone, even where the CPU can access it. Redzones hold poison, so that
    /// few other addresses have to be looked up.
    void require_no_redzone(const void* address, std::size_t bytes, bool or_shared = false) {
        if (!threads_.in_kernel) return;
        const auto* const first = static_cast<const unsigned char*>(address);
        for (const unsigned char* const at : {first, first + bytes - 1})
            if (*at == kPoison) require_not_in_redzone(at, or_shared);
    }
    void maybe_pause(const void* store_to);
    void* begin_shared(const void* declaration, const SharedVariable& variable);
    [[noreturn]] void misaligned(const void* address);
    [[noreturn]] void index_outside(std::uint64_t index, const char* array);
    [[noreturn]] void assertion_failed(const char* what, const char* file, unsigned int line);
    [[noreturn]] void exits();
    [[noreturn]] void fault_by_trap(platform::Trap trap, const void* address);
    [[noreturn]] void never_meets(uint3 block, Site site);
    void print(std::string_view text, std::string_view end = "");
    void look_at_progress();
    void stop_if_due();
    const Threads& threads() const { return threads_; }
    /// @}

    /// During its lifetime, the running thread is in the simulator's code and must not be interrupted.
    struct InSimulator {
        explicit InSimulator(Worker& worker) : threads(worker.threads_) { threads.in_kernel = false; }
        ~InSimulator() { threads.in_kernel = true; }
        InSimulator(const InSimulator&) = delete;
        InSimulator& operator=(const InSimulator&) = delete;
        Threads& threads;
    };

 private:
    // Running a block (worker.cpp)
    void begin_grid(Grid& grid);
    void shuffle_threads(std::uint64_t seed);
    void begin_block(std::uint64_t block);
    void run_block(std::uint64_t block);
    bool resume_ready_threads();
    /// Called by a thread that waits. Leaves its fiber, and returns when the thread is resumed.
    [[gnu::always_inline]] void leave(Thread& thread) {
        thread.fiber = fibers_.running();
        fibers_.leave();
    }

    // What kernels call (kernel.cpp)
    void begin_wait(Thread& thread, ThreadState state, Site site);
    void release_barrier();
    bool complete_exchange(const Thread& first);
    bool release_gatherings();

    void call_kernel();

    // Kernels that make no progress (faults/watchdog.cpp)
    bool gets_nowhere();
    [[noreturn]] void stop_without_progress();

    // Faults (faults.cpp)
    void require_not_in_redzone(const void* address, bool or_shared);
    void record_fault(FaultKind kind, cudaError_t error, const std::string& what);
    void record_thread_fault(FaultKind kind, cudaError_t error, const std::string& what);
    void record(cudaError_t error, Fault fault);
    void record_too_much_shared();
    void record_bad_address(const void* address);
    void record_wrong_mask(const char* function, Site site);
    std::string thread_text();
    std::string waiting_threads(bool and_returned = false) const;

    Grid* grid_ = nullptr;
    bool faulted_ = false;     ///< the block has a fault
    bool has_waited_ = false;  ///< a thread of the block has waited
    Threads threads_;
    Fibers fibers_;

    /// The barrier at which threads of the block wait, and what the last thread to arrive tells them.
    struct Barrier {
        unsigned int arrived = 0;
        int votes = 0, result = 0;
        Site site{};  ///< of the first thread to arrive
        bool diverged = false;
    } barrier_;

    unsigned int missing_lanes_[kMaxThreadsPerBlock / warpSize]{};  ///< the lane that each warp waits for

    SharedMemory shared_;

    /// When threads are interrupted (interleave.cpp).
    struct Pauses {
        std::uint64_t random = 0;
        bool has_stalled = false;
    } pauses_;

    /// When the kernel last made progress (faults/watchdog.cpp).
    struct Progress {
        std::uint64_t waits = 0;                ///< how often a thread has waited
        std::uint64_t waits_before = 0;         ///< the same when a thread last began or returned
        std::uint64_t begun = 0;                ///< how much had begun or returned at the last tick
        std::uint64_t seen_waits = 0;           ///< how many waits counted at the last tick
        unsigned int ticks = 0;                 ///< of the grid
        volatile unsigned int ticks_since = 0;  ///< without progress
    } progress_;

    platform::TrapStack trap_stack_;
};

/// The worker whose simulated thread runs on this OS thread, or null in the host's code.
extern constinit thread_local Worker* running_worker;

/// Runs what a grid's kernel has launched, after the grid (compat/nested.cpp).
void run_nested(const NestedLaunches& launches);

}  // namespace sim
