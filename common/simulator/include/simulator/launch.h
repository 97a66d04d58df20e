/// @file
/// @brief Kernel launches: what the translator makes of `kernel<<<grid, block, shared, stream>>>(…)`.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel.h"
#include "runtime.h"
#include "threads.h"

/// @brief What `::sim::launch` needs to know about a kernel: how to call it, its address, and its name.
///
/// Which function a template's name means depends on the arguments of a call. The second function, which
/// returns the kernel's address, is therefore a template, and cannot always be called.
#define SIM_KERNEL(...)                                                                         \
    [=](auto... sim_arguments) { __VA_ARGS__(sim_arguments...); },                              \
        [=](auto sim_address) -> decltype(sim_address(__VA_ARGS__)) {                           \
            static_assert(::std::is_void_v<decltype(sim_address.result(__VA_ARGS__))>,          \
                          #__VA_ARGS__ ": a __global__ function must have a void return type"); \
            return sim_address(__VA_ARGS__);                                                    \
        },                                                                                      \
        #__VA_ARGS__

namespace sim {

/// What is written between `<<<` and `>>>`.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t dynamic_shared_bytes;
};

/// The same, with defaults for what may be left out. There is only one stream.
inline LaunchConfig launch_config(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                                  cudaStream_t = nullptr) {
    return {grid, block, dynamic_shared_bytes};
}

/// The kernel of a launch, and where the launch is written.
struct Kernel {
    const char* name;
    const void* address;  ///< as `cudaFuncSetAttribute` knows it; null if it isn't known
    Site site;
};

/// Runs a grid and waits for it. `cudaGetLastError` returns its error afterwards.
/// @param loop Runs the threads of a block: `run_threads` for this kernel.
/// @param call What it calls for each of them.
void run_grid(const Kernel& kernel, const LaunchConfig& config, ThreadLoop loop, const void* call);

/// The address of the one function that a name means, or of the template's that takes these types.
template <typename... Arguments>
struct KernelAddress {
    /// Of a function that takes these types.
    const void* operator()(void (*kernel)(Arguments...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
    /// Of one that takes others, to which they are converted.
    template <typename Result, typename... Parameters>
    const void* operator()(Result (*kernel)(Parameters...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
    /// What the function returns.
    static void result(void (*kernel)(Arguments...));
    template <typename Result, typename... Parameters>
    static Result result(Result (*kernel)(Parameters...));
};

/// A kernel with its launch configuration, ready to be called with the kernel's arguments.
template <typename Call, typename Find>
struct Launcher {
    Call call;
    Find find;
    const char* name;
    LaunchConfig config;
    Site site;

    /// Runs the grid. `cudaGetLastError` returns its error.
    template <typename... Arguments>
    void operator()(Arguments... arguments) const {
        const auto call_kernel = [&] { call(arguments...); };
        const void* address = nullptr;
        if constexpr (std::is_invocable_v<Find, KernelAddress<Arguments...>>)
            address = find(KernelAddress<Arguments...>{});
        run_grid({name, address, site}, config, run_threads<decltype(call_kernel)>, &call_kernel);
    }
};

/// What `<<<` … `>>>` becomes. The parentheses that follow it call the launcher with the kernel's arguments.
template <typename Call, typename Find>
Launcher<Call, Find> launch(Call call, Find find, const char* name, LaunchConfig config,
                            const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {call, find, name, config, {file, line}};
}

/// CUDA_SIM_SEED: 0 runs blocks and threads in order, any other number in an order of its own.
void set_seed(std::uint64_t value);

/// CUDA_SIM_WORKERS: how many OS threads run blocks; the device's number of multiprocessors.
unsigned int workers();

/// What went wrong in the last kernel that failed, in words. Empty if none has failed.
const char* last_fault();

}  // namespace sim
