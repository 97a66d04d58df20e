/// @file
/// @brief Kernel launches: what the translator makes of `kernel<<<grid, block, shared, stream>>>(…)`.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel.h"
#include "runtime.h"

/// @brief What `::sim::launch` wants to know of a kernel: how to call it, where it is, and its name.
///
/// Which function a template's name means is known only with the arguments of a call, so that the second
/// function, which answers the kernel's address, is a template, and there may be no answer.
#define SIM_KERNEL(...)                                                                                   \
    [=](auto... sim_arguments) { __VA_ARGS__(sim_arguments...); },                                        \
        [=](auto sim_address) -> decltype(sim_address(__VA_ARGS__)) { return sim_address(__VA_ARGS__); }, \
        #__VA_ARGS__

/// For the simulator's own work in code that is compiled to be interrupted (see interleave.cpp).
#define SIM_UNINTERRUPTED __attribute__((no_sanitize("thread")))

namespace sim {

constexpr unsigned int kMaxThreadsPerBlock = 1024;  ///< as on every GPU

/// What stands between `<<<` and `>>>`.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t dynamic_shared_bytes;
};

/// What a launch launches, and where the launch is written.
struct Kernel {
    const char* name;
    const void* address;  ///< as `cudaFuncSetAttribute` knows it; null if it can't be told
    Site site;
};

/// The same, with what may be left out; there is no more than one stream.
inline LaunchConfig launch_config(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                                  cudaStream_t = nullptr) {
    return {grid, block, dynamic_shared_bytes};
}

/// What a thread of the block does now.
enum class ThreadState : unsigned char { unstarted, runs, ready, at_barrier, at_warp, returned };

/// @brief Hands out the threads of one block, one after another, to whoever asks for the next one.
///
/// A thread that never waits costs a few nanoseconds: it is one turn of the loop in `Launcher`.
class ThreadQueue {
 public:
    /// Makes the next thread of the block the current one. @return false when all have started.
    SIM_UNINTERRUPTED bool start_next() {
        if (next_ == count_) return false;
        resume(order_[next_++]);
        in_kernel_ = true;
        return true;
    }

    /// The current thread has returned from the kernel.
    SIM_UNINTERRUPTED void finish() {
        in_kernel_ = false;
        states_[current_] = ThreadState::returned;
        --live_;
        if (waiting_ != 0) finished_while_others_wait();
    }

 protected:
    /// Makes a thread the current one.
    void resume(unsigned int thread) {
        current_ = thread;
        threadIdx = indices_[thread];
        states_[thread] = ThreadState::runs;
    }
    /// A barrier waits for live threads only: one thread less may be all that it has waited for.
    void finished_while_others_wait();

    unsigned int count_ = 0;    ///< threads of the block
    unsigned int next_ = 0;     ///< how many have started
    unsigned int live_ = 0;     ///< how many have not returned
    unsigned int waiting_ = 0;  ///< how many wait, at a barrier or for their warp
    unsigned int current_ = 0;  ///< the thread that runs
    bool in_kernel_ = false;    ///< it runs the kernel, not the simulator
    // For each thread of the block:
    unsigned int order_[kMaxThreadsPerBlock];  ///< who starts, and goes on, first, second, …
    uint3 indices_[kMaxThreadsPerBlock];       ///< its threadIdx
    ThreadState states_[kMaxThreadsPerBlock];  ///< what it does now
};

/// Runs the kernel for the threads that the queue hands out, until there are none left.
using ThreadLoop = void (*)(const void* kernel, ThreadQueue& queue);

/// Runs a grid and waits for it. What went wrong is what `cudaGetLastError` answers afterwards.
/// @param thread What `loop` calls for each thread.
void run_grid(const Kernel& kernel, const LaunchConfig& config, ThreadLoop loop, const void* thread);

/// The address of the one function that a name means, or of the template's that takes these types.
template <typename... Arguments>
struct KernelAddress {
    /// Of a function that takes these types.
    const void* operator()(void (*kernel)(Arguments...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
    /// Of one that takes others, to which they are converted.
    template <typename... Parameters>
    const void* operator()(void (*kernel)(Parameters...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
};

/// A kernel with its launch configuration, ready to be called with the kernel's arguments.
template <typename Call, typename Find>
struct Launcher {
    Call call;
    Find find;
    const char* name;
    LaunchConfig config;
    Site site;

    /// Runs the grid. Errors are what `cudaGetLastError` answers.
    template <typename... Arguments>
    void operator()(Arguments... arguments) const {
        const auto thread = [&] { call(arguments...); };
        using Thread = decltype(thread);
        const ThreadLoop loop = [](const void* run, ThreadQueue& queue) {
            while (queue.start_next()) {
                (*static_cast<Thread*>(run))();
                queue.finish();
            }
        };
        const void* address = nullptr;
        if constexpr (std::is_invocable_v<Find, KernelAddress<Arguments...>>)
            address = find(KernelAddress<Arguments...>{});
        run_grid({name, address, site}, config, loop, &thread);
    }
};

/// What `<<<` … `>>>` becomes: the parentheses behind it call the kernel.
template <typename Call, typename Find>
Launcher<Call, Find> launch(Call call, Find find, const char* name, LaunchConfig config,
                            const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {call, find, name, config, {file, line}};
}

/// CUDA_SIM_SEED: 0 runs blocks and threads in order, any other number in an order of its own.
void set_seed(std::uint64_t seed);

/// CUDA_SIM_WORKERS: how many OS threads run blocks; the device's number of multiprocessors.
unsigned int workers();

/// What went wrong in the last kernel that failed, in words; empty if none did.
const char* last_fault();

}  // namespace sim
