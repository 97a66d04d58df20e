/// @file
/// @brief One OS thread's part of a launch: it runs blocks, and the threads of a block as fibers.
#pragma once

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "cuda_runtime.h"

namespace sim {

/// A grid that is being run, shared by the workers that run it.
struct Grid {
    Grid(const LaunchConfig& config, const char* kernel_name, Site site, ThreadLoop loop, const void* kernel,
         std::uint64_t seed);

    /// The k-th block to run: in order without a seed, in strides of an odd length with one.
    std::uint64_t block_at(std::uint64_t k) const { return (first_block + k * block_stride) % blocks; }

    const LaunchConfig config;
    const char* const kernel_name;
    const Site site;
    const ThreadLoop loop;
    const void* const kernel;
    const std::uint64_t seed;
    const std::uint64_t blocks;
    std::uint64_t first_block = 0, block_stride = 1;

    std::atomic<std::uint64_t> next_block{0};
    std::atomic<bool> failed{false};
    std::mutex fault_lock;
    cudaError_t error = cudaSuccess;  ///< the first fault of the grid, and what it says
    std::string fault;
};

/// Memory for one fiber's stack, with a page below it that nobody may touch.
class Stack {
 public:
    /// @param[in] color Moves the top by some cache lines, so that the stacks of a block's threads,
    ///                  all as deep, do not compete for the same sets of the cache.
    explicit Stack(std::size_t color);
    ~Stack();
    Stack(Stack&& other) noexcept;
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    Stack& operator=(Stack&&) = delete;

    char* guard() const { return base_; }
    char* bottom() const { return base_ + kGuardBytes; }
    char* top() const { return top_; }
    std::size_t bytes() const { return static_cast<std::size_t>(top() - bottom()); }

    static constexpr std::size_t kBytes = 128 * 1024;
    static constexpr std::size_t kGuardBytes = 4096;

 private:
    char* base_;
    char* top_;
};

/// @brief Runs one block at a time on the OS thread that calls it.
///
/// A fiber calls threads 0, 1, 2, … as plain functions. When one of them waits, its fiber is kept
/// with it, and a fresh fiber goes on with the threads that have not started. Once all have
/// started, those whose wait is over go on, each in the fiber it was kept in.
class Worker : public ThreadQueue {
 public:
    Worker();
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Takes blocks from the grid until there are none left, or one has failed.
    void run(Grid& grid);

    /// @name Called by the thread that runs
    /// @{
    BarrierResult wait_at_barrier(bool predicate, Site site);
    std::uint64_t exchange(WarpOperation operation, unsigned int mask, std::uint64_t value,
                           unsigned int source, Site site);
    void thread_finished();
    void maybe_pause();
    void begin_shared(volatile void* variable, std::size_t bytes, std::uint64_t& serial);
    [[noreturn]] void fault(cudaError_t error, const std::string& what);
    [[noreturn]] void fault_at(const void* address, bool general_protection);
    unsigned int lane() const { return current_ % warpSize; }
    char* dynamic_shared() const { return dynamic_shared_; }
    /// @}

 private:
    /// While it lives, the current thread is in the simulator's code and not to be interrupted.
    struct InSimulator {
        explicit InSimulator(Worker& worker_) : worker(worker_) { worker.in_kernel_ = false; }
        ~InSimulator() { worker.in_kernel_ = true; }
        InSimulator(const InSimulator&) = delete;
        InSimulator& operator=(const InSimulator&) = delete;
        Worker& worker;
    };

    /// What the scheduler keeps of a thread that waits.
    struct Thread {
        boost::context::detail::fcontext_t context;  ///< where it goes on
        unsigned int stack;                          ///< which stack it is kept on
        Site site;
        WarpOperation operation;
        unsigned int mask, source;
        std::uint64_t value, result;
    };

    void set_up(Grid& grid);
    bool run_block(std::uint64_t block);
    void start_fiber();
    void run_fiber(boost::context::detail::fcontext_t context, unsigned int stack);
    static void fiber_main(boost::context::detail::transfer_t from);
    void leave_fiber(Thread* waiting);
    void wait(ThreadState state, Site site);
    void release_barrier();
    bool complete_exchange(const Thread& asking);
    void record_fault(cudaError_t error, const std::string& what);
    std::string waiting_threads() const;

    Grid* grid_ = nullptr;
    dim3 shape_{0, 0, 0};  ///< of the block that the vectors below are made for
    std::vector<Thread> threads_;
    std::vector<uint3> index_storage_;
    std::vector<unsigned int> order_storage_;
    std::vector<ThreadState> state_storage_;
    std::mt19937_64 random_;
    std::uint64_t pause_random_ = 0;

    std::vector<Stack> stacks_;
    std::vector<unsigned int> free_stacks_;
    unsigned int current_stack_ = 0;
    boost::context::detail::fcontext_t scheduler_ = nullptr;
    const void* scheduler_stack_ = nullptr;  ///< AddressSanitizer wants to know which stack is in use
    std::size_t scheduler_stack_bytes_ = 0;
    bool faulted_ = false;

    unsigned int at_barrier_ = 0, votes_ = 0;
    Site barrier_site_{};
    bool barrier_diverged_ = false;
    BarrierResult released_{};

    char* shared_region_;  ///< dynamic shared memory ends where this region's guard page begins
    char* dynamic_shared_ = nullptr;
    std::size_t static_shared_bytes_ = 0;
    std::vector<char> signal_stack_;
};

/// The worker whose kernel thread runs on this OS thread, or null on the host's side.
extern thread_local Worker* running_worker;

/// Turns a kernel's bad memory accesses and divisions by zero into faults that name the thread.
void install_fault_handler();

/// @name Errors that `cudaGetLastError` answers
/// @{
cudaError_t set_error(cudaError_t error);                    ///< @return the error
void set_fault(cudaError_t error, const std::string& what);  ///< stays until `cudaDeviceReset`
cudaError_t sticky_error();                                  ///< a fault's error, or `cudaSuccess`
/// @}

/// @name What the simulated device has: the limits of compute capability 9.0
/// @{
constexpr unsigned int kMaxThreadsPerBlock = 1024;
constexpr unsigned int kMaxThreadsPerMultiprocessor = 2048;
constexpr unsigned int kMaxBlocksPerMultiprocessor = 32;
constexpr std::size_t kStaticSharedBytes = 48 * 1024;
constexpr std::size_t kSharedBytesPerBlock = 227 * 1024;
constexpr std::size_t kSharedBytesPerMultiprocessor = 228 * 1024;
constexpr std::size_t kReservedSharedBytes = 1024;
/// @}

/// Uninitialized memory, device and shared, is full of this byte: nothing that a program would expect.
constexpr int kPoison = 0xA5;

}  // namespace sim
