/// @file
/// @brief Kernel launches: what `kernel<<<grid, block, shared, stream>>>(…)` is translated to.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel.h"
#include "runtime.h"
#include "threads.h"

/// @brief What `::sim::launch` needs to know about a kernel: how to call it, its address, and its name.
///
/// If the name is a template's, the function that it refers to depends on the arguments of a call. The second
/// lambda, which returns the kernel's address, is therefore generic, and not every use of it compiles.
#define SIM_KERNEL(...)                                                                         \
    [=](auto... sim_arguments) SIM_INLINE { __VA_ARGS__(sim_arguments...); },                   \
        [=](auto sim_address) SIM_INLINE -> decltype(sim_address(__VA_ARGS__)) {                \
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
    bool cooperative = false;  ///< all blocks run at the same time
};

/// @return A launch configuration, with defaults for the parts that a launch omits.
inline LaunchConfig launch_config(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                                  cudaStream_t stream = nullptr) {
    return {grid, block, dynamic_shared_bytes, stream};
}
/// Never defined: its attribute is the compiler's message about a launch without a block.
[[gnu::error("a launch needs a grid and a block: <<<grid, block>>>")]] LaunchConfig launch_config(
    dim3 grid = {});

/// The kernel of a launch, and where the launch is written.
struct Kernel {
    const char* name;
    const void* address;  ///< the address that `cudaFuncSetAttribute` gets; null if unknown
    Site site;
};

/// The names of a kernel's parameters, for messages. The translator defines such an object after each kernel.
class ParameterNames {
 public:
    ParameterNames(const char* of, const char* all);  ///< adds the object to the program's list
    const char* const kernel;                         ///< the kernel's name, without namespaces
    const char* const names;                          ///< separated by commas
    const ParameterNames* const next;                 ///< the next object of the list, or null
};

/// @{
/// Defines the `ParameterNames` of a kernel, whose name may be a macro.
#define SIM_PARAMETERS(kernel, names) SIM_PARAMETERS_(kernel, names, __COUNTER__)
#define SIM_PARAMETERS_(kernel, names, number) SIM_PARAMETERS_NUMBER(#kernel, names, number)
#define SIM_PARAMETERS_NUMBER(kernel, names, number)                    \
    namespace {                                                         \
    const ::sim::ParameterNames sim_parameters_##number(kernel, names); \
    }
/// @}

/// A pointer argument, and the size of the elements that it points to; null and 0 for any other argument.
struct Argument {
    const void* pointer = nullptr;
    std::size_t element_bytes = 0;
};
/// @{
/// The size of a type in bytes, or 1 for a type without a size, such as `void`.
template <typename T, typename = void>
struct SizeOf : std::integral_constant<std::size_t, 1> {};
template <typename T>
struct SizeOf<T, std::void_t<decltype(sizeof(T))>> : std::integral_constant<std::size_t, sizeof(T)> {};
/// @}
/// What a launch records about an argument.
template <typename T>
SIM_INLINE inline Argument argument_of(const T& argument) {
    using Element = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<Element>)
        return {const_cast<const void*>(static_cast<const volatile void*>(argument)), SizeOf<Element>::value};
    else
        return {};
}

/// A function object that each thread of a grid calls, and the functions for its type, which only the caller
/// of `launch_grid` knows.
struct ThreadCall {
    const void* object;
    ThreadLoop loop;                          ///< `run_threads` for its type
    const void* (*copy)(const void* object);  ///< makes a copy for a grid that runs later
    void (*destroy)(const void* copy);
};
/// Refers to a function object, which must exist until `launch_grid` returns.
template <typename Call>
ThreadCall thread_call(const Call& call) {
    return {&call, run_threads<Call>,
            [](const void* object) -> const void* { return new Call(*static_cast<const Call*>(object)); },
            [](const void* copy) { delete static_cast<const Call*>(copy); }};
}

/// Launches a grid: runs it at once or in its stream (streams.hpp), or, if a kernel launches it, after that
/// kernel's grid. If the configuration is invalid or the grid fails, `cudaGetLastError` returns the error.
void launch_grid(const Kernel& kernel, const LaunchConfig& config, const ThreadCall& call,
                 const Argument* arguments = nullptr, std::size_t count = 0);

/// Finds the address of the function that a kernel's name refers to. If the name is a template's, this is its
/// instantiation for these types of arguments.
template <typename... Arguments>
struct KernelAddress {
    /// For a function that takes these types.
    SIM_INLINE const void* operator()(void (*kernel)(Arguments...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
    /// For a function that takes other types, to which the arguments are converted.
    template <typename Function>
    SIM_INLINE const void* operator()(Function* kernel) const {
        return reinterpret_cast<const void*>(kernel);
    }
    /// Never defined: only its return type is used, which is that of the kernel.
    static void result(void (*kernel)(Arguments...));
    /// The same for a function that takes other types.
    template <typename Result, typename... Parameters>
    static Result result(Result (*kernel)(Parameters...));
};

/// Whether copying an argument only copies its bytes, and destroying it does nothing.
template <typename T>
constexpr bool is_trivial_argument = std::is_trivially_copy_constructible_v<T>&&
    std::is_trivially_move_constructible_v<T>&& std::is_trivially_destructible_v<T>;

/// The bytes of an argument that is not trivial. For such an argument, a GPU also copies only the bytes, and
/// calls no destructor.
template <typename T>
struct Bytes {
    alignas(T) unsigned char bytes[sizeof(T)];
};

/// What a launch keeps of an argument: a copy, or its bytes if it is not trivial.
template <typename T>
auto keep(const T& argument) {
    if constexpr (is_trivial_argument<T>) {
        return argument;
    } else {
        Bytes<T> result;
        __builtin_memcpy(&result, &argument, sizeof(T));
        return result;
    }
}

/// @{
/// What a call passes to a kernel for a kept argument. By the C++ ABI, this is the address of an argument
/// that is not trivial, and the value of any other.
template <typename T>
T pass(const T& argument) {
    return argument;
}
template <typename T>
const Bytes<T>* pass(const Bytes<T>& argument) {
    return &argument;
}
/// @}

/// Calls a kernel with the arguments that a launch has kept. Each thread gets copies, which it may change.
template <typename... Kept>
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
void call_kernel(const void* kernel, Kept... arguments) {
    reinterpret_cast<void (*)(decltype(pass(arguments))...)>(const_cast<void*>(kernel))(pass(arguments)...);
}

/// A kernel with its launch configuration, ready to be launched with arguments of any types.
template <typename Call, typename Find>
struct AnyLauncher {
    Call call;
    Find find;
    const char* name;
    LaunchConfig config;
    Site site;

    /// Launches the kernel.
    template <typename... Arguments>
    SIM_INLINE void operator()(Arguments... arguments) const {
        launch(arguments...);
    }
    /// Launches the kernel: by its address if an argument is not trivial, so that threads run no copy
    /// constructors; otherwise, or if its address cannot be found, by its name.
    template <typename... Arguments>
    SIM_INLINE void launch(const Arguments&... arguments) const {
        if constexpr ((is_trivial_argument<Arguments> && ...) ||
                      !std::is_invocable_v<Find, KernelAddress<Arguments...>>)
            launch_by_name(arguments...);
        else
            launch_by_address(find(KernelAddress<Arguments...>{}), keep(arguments)...);
    }
    /// Launches the kernel by its name. Each thread copies the arguments.
    template <typename... Arguments>
    SIM_INLINE void launch_by_name(Arguments... arguments) const {
        const void* address = nullptr;
        if constexpr (std::is_invocable_v<Find, KernelAddress<Arguments...>>)
            address = find(KernelAddress<Arguments...>{});
        const Argument pointers[] = {argument_of(arguments)..., {}};
        launch_grid({name, address, site}, config,
                    thread_call([call = call, arguments...]() SIM_INLINE { call(arguments...); }), pointers,
                    sizeof...(arguments));
    }
    /// Launches the kernel by its address, with kept arguments.
    template <typename... Kept>
    void launch_by_address(const void* address, Kept... arguments) const {
        const Argument pointers[] = {argument_of(arguments)..., {}};
        launch_grid({name, address, site}, config,
                    thread_call([=]() SIM_INLINE { call_kernel(address, arguments...); }), pointers,
                    sizeof...(arguments));
    }
};

/// @brief Launches a kernel. If the types of its parameters are known, the arguments are converted to them
/// once, by the launch, and not by each thread.
/// @tparam Function The type of a pointer to the kernel; `void` if the kernel's name does not determine it.
template <typename Call, typename Find, typename Function>
struct Launcher : AnyLauncher<Call, Find> {};
template <typename Call, typename Find, typename... Parameters>
struct Launcher<Call, Find, void (*)(Parameters...)> : AnyLauncher<Call, Find> {
    /// Whether arguments can be converted to the kernel's types. An integer may be `0`, a null pointer.
    template <typename... Arguments>
    static constexpr bool fits() {
        if constexpr (sizeof...(Arguments) == sizeof...(Parameters))
            return ((std::is_convertible_v<Arguments&, Parameters> || std::is_integral_v<Arguments>)&&...);
        return false;
    }
    SIM_INLINE void operator()(
        Parameters... arguments) const {  // converts `0` and `{1, 2}` to the kernel's types
        this->launch(arguments...);
    }
    /// For fewer arguments, if the kernel's parameters have defaults; and for wrong arguments, so that the
    /// compiler's error is about a call of the kernel.
    template <typename... Arguments>
    std::enable_if_t<!fits<Arguments...>()> operator()(Arguments... arguments) const {
        this->launch_by_name(arguments...);
    }
};

/// Determines a kernel's type. A name that refers to several functions has none.
struct KernelType {
    /// Never defined: only its return type is used.
    template <typename Function>
    Function* operator()(Function*) const;
};
/// The type of a pointer to the kernel, or `void`.
template <typename Find>
using FunctionOf =
    typename std::conditional_t<std::is_invocable_v<Find, KernelType>, std::invoke_result<Find, KernelType>,
                                std::common_type<void>>::type;

/// What `kernel<<<…>>>` is translated to. The parentheses that follow in the source call the returned
/// launcher with the kernel's arguments.
template <typename Call, typename Find>
Launcher<Call, Find, FunctionOf<Find>> launch(Call call, Find find, const char* name, LaunchConfig config,
                                              const char* file = __builtin_FILE(),
                                              int line = __builtin_LINE()) {
    return {{call, find, name, config, {file, line}}};
}

/// How many OS threads run blocks: CUDA_SIM_WORKERS, by default the number of the CPU's hardware threads, but
/// at most 24. A grid whose blocks wait for each other may use more.
unsigned int workers();

/// How many SMs the device reports: CUDA_SIM_MULTIPROCESSORS, by default `workers()`.
unsigned int multiprocessors();

/// The message about the last kernel that failed; empty if none has failed. After this call, the message is
/// not printed when the program ends.
const char* last_fault();

}  // namespace sim
