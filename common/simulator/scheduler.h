/// @file
/// @brief One OS thread's part of a launch: it runs blocks, and the threads of a block as fibers.
#pragma once

#include <signal.h>

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "cuda_runtime.h"

namespace sim {

/// The shared memory that a block of a kernel may have: 48 KiB, unless `cudaFuncSetAttribute` asked for more.
struct SharedLimit {
    std::size_t dynamic_bytes, all_bytes;
};
SharedLimit shared_limit(const void* kernel);

/// A grid that is being run, shared by the workers that run it.
struct Grid {
    const Kernel kernel;
    const LaunchConfig config;
    const SharedLimit shared_limit;
    const ThreadLoop loop;
    const void* const thread;
    const std::uint64_t blocks;
    const std::uint64_t seed;
    std::uint64_t first_block = 0, block_stride = 1;  ///< the order of the blocks

    std::atomic<std::uint64_t> next_block{0};
    std::atomic<bool> failed{false};
    std::mutex fault_lock{};
    cudaError_t error = cudaSuccess;  ///< the first fault of the grid, and what it says
    std::string fault{};
};

/// Memory from the operating system, zero, which nobody may touch at the places that are forbidden.
class Pages {
 public:
    explicit Pages(std::size_t bytes);
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    char* data() const { return data_; }
    void forbid(std::size_t offset, std::size_t bytes);

 private:
    char* const data_;
    const std::size_t bytes_;
};

/// @brief Runs one block at a time on the OS thread that calls it.
///
/// A fiber calls threads 0, 1, 2, … as plain functions. When one of them waits, its fiber is kept
/// with it, and a fresh fiber goes on with the threads that have not started. Once all have
/// started, those whose wait is over go on, each in the fiber it was kept in.
class Worker : public ThreadQueue {
 public:
    Worker();

    /// Takes blocks from the grid until there are none left, or one has failed.
    void run(Grid& grid);

    /// @name Called by the thread that runs
    /// @{
    BarrierResult wait_at_barrier(bool predicate, Site site);
    WarpValues exchange(const char* function, unsigned int mask, std::uint64_t value, Site site);
    void others_may_go_on();
    void maybe_pause(const void* store_to);
    void begin_shared(std::initializer_list<SharedVariable> variables);
    [[noreturn]] void misaligned();
    [[noreturn]] void fault_by_signal(int signal, const siginfo_t& info);
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

    using Context = boost::context::detail::fcontext_t;

    /// What the scheduler keeps of a thread that waits.
    struct Thread {
        Context context;     ///< where it goes on
        unsigned int stack;  ///< which stack it is kept on
        Site site;           ///< where it waits
        // For its warp:
        const char* function;
        unsigned int mask;
        std::uint64_t value;
        WarpValues* result;
    };

    void set_up(Grid& grid);
    bool run_block(std::uint64_t block);
    char* stack_bottom(unsigned int stack) const;
    void start_fiber();
    void run_fiber(Context context, unsigned int stack);
    static void fiber_main(boost::context::detail::transfer_t from);
    void leave_fiber(Thread* waiting);
    void release_barrier();
    bool complete_exchange(unsigned int asking);
    void record_fault(cudaError_t error, const std::string& what);
    void record_too_much_shared();
    [[noreturn]] void give_up();
    std::string thread_text() const;
    std::string waiting_threads() const;

    Grid* grid_ = nullptr;
    bool faulted_ = false;
    std::mt19937_64 random_;
    std::uint64_t pause_random_ = 0;
    bool has_stalled_ = false;
    std::vector<Thread> threads_;

    Pages stacks_;
    unsigned int stacks_made_ = 0;
    unsigned int current_stack_ = 0;
    Context scheduler_ = nullptr;
    const void* scheduler_stack_ = nullptr;  ///< AddressSanitizer wants to know which stack is in use
    std::size_t scheduler_stack_bytes_ = 0;

    unsigned int at_barrier_ = 0, votes_ = 0;
    Site barrier_site_{};
    bool barrier_diverged_ = false;
    BarrierResult released_{};

    Pages shared_;  ///< dynamic shared memory ends where what is forbidden begins
    std::size_t static_shared_bytes_ = 0;
    std::vector<char> signal_stack_;
};

/// The worker whose kernel thread runs on this OS thread, or null on the host's side.
extern thread_local Worker* running_worker;

/// Turns a kernel's bad memory accesses and divisions by zero into faults, until `release_signals`.
void catch_signals();
void release_signals();

/// @name Errors that `cudaGetLastError` answers
/// @{
cudaError_t set_error(cudaError_t error);  ///< @return the error
/// The error stays until `cudaDeviceReset`, unless it is `cudaErrorInvalidValue`: that is a refused launch's.
void set_fault(cudaError_t error, const std::string& what);
cudaError_t sticky_error();  ///< a fault's error, or `cudaSuccess`
/// @}

/// Whether an address lies in memory that `cudaMalloc` gave.
bool is_device_memory(const void* address);

/// @name What the simulated device has: the limits of compute capability 9.0
/// @{
constexpr unsigned int kMaxThreadsPerMultiprocessor = 2048;
constexpr unsigned int kMaxBlocksPerMultiprocessor = 32;
constexpr int kMaxBlock[3] = {1024, 1024, 64}, kMaxGrid[3] = {0x7fffffff, 65535, 65535};
constexpr std::size_t kStaticSharedBytes = 48 * 1024;
constexpr std::size_t kSharedBytesPerBlock = 227 * 1024;
constexpr std::size_t kSharedBytesPerMultiprocessor = 228 * 1024;
constexpr std::size_t kReservedSharedBytes = 1024;
/// @}

/// Uninitialized memory, device and shared, is full of this byte: nothing that a program would expect.
constexpr int kPoison = 0xA5;

}  // namespace sim
