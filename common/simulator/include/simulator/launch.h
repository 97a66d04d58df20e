/// @file
/// @brief Kernel launches: what `kernel<<<grid, block, shared, stream>>>(…)` is translated to.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include "kernel.h"
#include "runtime.h"
#include "threads.h"

/// @brief What `::sim::launch` needs to know about a kernel: how to call it, its address, and its name.
///
/// Which function a template's name refers to depends on the arguments of a call. The second function, which
/// returns the kernel's address, is therefore a template and cannot always be called.
#define SIM_KERNEL(...)                                                                         \
    [=](auto... sim_arguments) { __VA_ARGS__(sim_arguments...); },                              \
        [=](auto sim_address) -> decltype(sim_address(__VA_ARGS__)) {                           \
            static_assert(::std::is_void_v<decltype(sim_address.result(__VA_ARGS__))>,          \
                          #__VA_ARGS__ ": a __global__ function must have a void return type"); \
            return sim_address(__VA_ARGS__);                                                    \
        },                                                                                      \
        #__VA_ARGS__

namespace sim {

/// The launch configuration between `<<<` and `>>>`.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t dynamic_shared_bytes;
    cudaStream_t stream = nullptr;
};

/// The same, with defaults for parts that are left out.
inline LaunchConfig launch_config(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                                  cudaStream_t stream = nullptr) {
    return {grid, block, dynamic_shared_bytes, stream};
}

/// The kernel of a launch, and where the launch is written.
struct Kernel {
    const char* name;
    const void* address;  ///< as passed to `cudaFuncSetAttribute`; null if unknown
    Site site;
};

/// Whether a launch runs later: in its stream (streams.hpp), or since a kernel launches it.
bool runs_late(cudaStream_t stream);
/// Enqueues a launch. `cudaGetLastError` returns an error of its configuration.
void order(const Kernel& kernel, const LaunchConfig& config, std::function<void()> run);

/// Runs a grid and waits for it. `cudaGetLastError` returns its error afterwards.
/// @param loop Runs the threads of a block: `run_threads` for this kernel.
/// @param call Called for each thread.
void run_grid(const Kernel& kernel, const LaunchConfig& config, ThreadLoop loop, const void* call);

/// The address of the function that a name refers to, or of the template's function for these types.
template <typename... Arguments>
struct KernelAddress {
    /// Of a function that takes these types.
    const void* operator()(void (*kernel)(Arguments...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
    /// Of a function that takes other types, to which the arguments are converted.
    template <typename Function>
    const void* operator()(Function* kernel) const {
        return reinterpret_cast<const void*>(kernel);
    }
    /// What the function returns.
    static void result(void (*kernel)(Arguments...));
    /// The same, for a function that takes other types.
    template <typename Result, typename... Parameters>
    static Result result(Result (*kernel)(Parameters...));
};

/// A kernel with its launch configuration, ready to be called with arguments of any types.
template <typename Call, typename Find>
struct AnyLauncher {
    Call call;
    Find find;
    const char* name;
    LaunchConfig config;
    Site site;

    /// The kernel for arguments of these types.
    template <typename... Arguments>
    Kernel kernel() const {
        const void* address = nullptr;
        if constexpr (std::is_invocable_v<Find, KernelAddress<Arguments...>>)
            address = find(KernelAddress<Arguments...>{});
        return {name, address, site};
    }
    /// Runs the grid. `cudaGetLastError` returns its error.
    template <typename... Arguments>
    void run(Arguments&... arguments) const {
        const auto call_kernel = [&] { call(arguments...); };
        run_grid(kernel<Arguments...>(), config, run_threads<decltype(call_kernel)>, &call_kernel);
    }
    /// The same with copies of temporaries, because a launch in a stream may run later.
    template <typename... Arguments>
    void operator()(Arguments... arguments) const {
        if (!runs_late(config.stream)) return run(arguments...);
        order(kernel<Arguments...>(), config,
              [launcher = *this, arguments...]() mutable { launcher.run(arguments...); });
    }
};

/// Whether a copy of an argument is a copy of its bytes, and nothing happens when it is destroyed.
template <typename T>
constexpr bool is_trivial_argument = std::is_trivially_copy_constructible_v<T>&&
    std::is_trivially_move_constructible_v<T>&& std::is_trivially_destructible_v<T>;

/// @brief Calls a kernel with the launch's own arguments: a GPU copies and destroys none of them per thread.
///
/// The C++ ABI passes an argument that is not trivial as the address of a copy, which the caller makes and
/// destroys.
template <typename... Parameters>
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
void call_without_copies(const void* kernel, Parameters&... arguments) {
    const auto pass = [](auto& argument) -> decltype(auto) {
        using T = std::remove_reference_t<decltype(argument)>;
        if constexpr (is_trivial_argument<T>)
            return T(argument);
        else
            return &argument;
    };
    using Passed = void (*)(decltype(pass(arguments))...);
    reinterpret_cast<Passed>(const_cast<void*>(kernel))(pass(arguments)...);
}

/// @brief The same for a kernel whose parameters are known: arguments are converted once, in the launch.
/// @tparam Function The kernel's type; `void` if a template's name does not determine it.
template <typename Call, typename Find, typename Function>
struct Launcher : AnyLauncher<Call, Find> {};
template <typename Call, typename Find, typename... Parameters>
struct Launcher<Call, Find, void (*)(Parameters...)> : AnyLauncher<Call, Find> {
    void operator()(Parameters... arguments) const {  // converts `0` and `{1, 2}` to the kernel's types
        if constexpr ((is_trivial_argument<Parameters> && ...)) {
            AnyLauncher<Call, Find>::operator()(arguments...);
        } else {
            const void* const address = this->find(KernelAddress<Parameters...>{});
            const auto call_kernel = [&] { call_without_copies<Parameters...>(address, arguments...); };
            run_grid({this->name, address, this->site}, this->config, run_threads<decltype(call_kernel)>,
                     &call_kernel);
        }
    }
    /// Fewer arguments, if the kernel's parameters have defaults.
    template <typename... Arguments>
    std::enable_if_t<sizeof...(Arguments) < sizeof...(Parameters)> operator()(Arguments... arguments) const {
        AnyLauncher<Call, Find>::operator()(arguments...);
    }
};

/// Determines a kernel's type, unless its name refers to several functions.
struct KernelType {
    /// Only declared: its return value has the type.
    template <typename Function>
    Function* operator()(Function*) const;
};
template <typename Find, bool = std::is_invocable_v<Find, KernelType>>
struct FunctionOf {
    using type = void;
};
template <typename Find>
struct FunctionOf<Find, true> {
    using type = std::invoke_result_t<Find, KernelType>;
};

/// What `<<<` … `>>>` becomes. The parentheses that follow call the launcher with the kernel's arguments.
template <typename Call, typename Find>
Launcher<Call, Find, typename FunctionOf<Find>::type> launch(Call call, Find find, const char* name,
                                                             LaunchConfig config,
                                                             const char* file = __builtin_FILE(),
                                                             int line = __builtin_LINE()) {
    return {{call, find, name, config, {file, line}}};
}

/// CUDA_SIM_WORKERS: the number of OS threads that run blocks.
unsigned int workers();

/// CUDA_SIM_MULTIPROCESSORS: the device's number of SMs; by default, that of the workers.
unsigned int multiprocessors();

/// The message about the last kernel that failed. Empty if none has failed.
const char* last_fault();

}  // namespace sim
