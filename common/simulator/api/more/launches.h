/// @file
/// @brief The runtime API: attributes of kernels, occupancy, and launches by functions such as
/// cudaLaunchKernel.
#pragma once

#include <utility>

#include "../../include/cuda_runtime.h"
#include "device.h"

#define cudaFuncAttributePreferredSharedMemoryCarveout (static_cast<cudaFuncAttribute>(9))
#define cudaFuncAttributeNonPortableClusterSizeAllowed (static_cast<cudaFuncAttribute>(13))
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100,
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};

template <typename Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->maxDynamicSharedSizeBytes = 48 * 1024;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
    return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig) {
    return cudaSuccess;
}

template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int threads,
                                                                   size_t shared_bytes, unsigned int) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}
/// Finds the block size, in whole warps, that puts the most threads on an SM; if there are several, the
/// largest. A grid of `*min_grid` such blocks fills the device.
template <typename Kernel, typename SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid, int* block, Kernel* kernel,
                                                           SharedBytes shared_bytes, int limit = 0) {
    int most = 0, multiprocessors = 0;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    for (int size = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; size > 0; size -= 32) {
        int blocks = 0;
        const cudaError_t error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, shared_bytes(size));
        if (error != cudaSuccess) return error;
        if (blocks * size <= most) continue;
        most = blocks * size;
        *block = size;
        *min_grid = blocks * multiprocessors;
    }
    return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid, int* block, Kernel* kernel,
                                               size_t shared_bytes = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        min_grid, block, kernel, [shared_bytes](int) { return shared_bytes; }, limit);
}
template <typename Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, Kernel*, int, int) {
    return *bytes = 48 * 1024, cudaSuccess;
}

namespace sim {

/// @return A function object that calls a kernel with kept arguments.
template <typename... Kept>
auto kernel_call(const void* kernel, const Kept&... arguments) {
    return [=] { call_kernel(kernel, arguments...); };
}

/// Receives an argument of a kernel. @param to What the caller of `Bind` has passed.
using Note = void(void* to, Argument);
/// Makes the call of a kernel from the addresses of its arguments. The caller frees the call's object by
/// `destroy`.
/// @param note Is called with `to` and each argument.
using Bind = ThreadCall(const void* kernel, void** arguments, Note* note, void* to);
template <typename... Parameters, std::size_t... I>
ThreadCall bind(const void* kernel, [[maybe_unused]] void** arguments, [[maybe_unused]] Note* note,
                [[maybe_unused]] void* to, std::index_sequence<I...>) {
    (note(to, argument_of(*static_cast<Parameters*>(arguments[I]))), ...);
    const auto call = kernel_call(kernel, keep(*static_cast<Parameters*>(arguments[I]))...);
    ThreadCall result = thread_call(call);
    result.object = result.copy(&call);
    return result;
}
template <typename... Parameters>
ThreadCall bind_addresses(const void* kernel, void** arguments, Note* note, void* to) {
    return bind<Parameters...>(kernel, arguments, note, to, std::index_sequence_for<Parameters...>{});
}

/// Records how to make the call of a kernel from the addresses of its arguments.
void note_kernel(const void* kernel, Bind* bind);
/// Launches a kernel that was passed to `note_kernel`. For any other, the error is
/// cudaErrorInvalidDeviceFunction.
cudaError_t launch_noted(const void* kernel, void** arguments, const LaunchConfig& config, Site site);

/// Calls `note_kernel` for a kernel that is about to be passed on as `void*`. @return The kernel.
template <typename... Parameters>
auto& known(void (*kernel)(Parameters...)) {
    note_kernel(reinterpret_cast<const void*>(kernel), bind_addresses<Parameters...>);
    return *kernel;
}
template <typename Kernel>
cudaError_t launch_known(Kernel* kernel, void** arguments, const LaunchConfig& config, Site site) {
    if constexpr (std::is_function_v<Kernel>) known(kernel);
    return launch_noted(reinterpret_cast<const void*>(kernel), arguments, config, site);
}

}  // namespace sim

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
template <typename Kernel>
cudaError_t cudaLaunchKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                             cudaStream_t stream = nullptr, SIM_HERE) {
    return sim::launch_known(kernel, arguments, {grid, block, shared_bytes, stream}, {file, line});
}
template <typename Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = nullptr, SIM_HERE) {
    return sim::launch_known(kernel, arguments, {grid, block, shared_bytes, stream, true}, {file, line});
}

enum cudaLaunchAttributeID { cudaLaunchAttributeIgnore, cudaLaunchAttributeCooperative = 2 };
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        int cooperative;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned int numAttrs;
};
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments... arguments) {
    bool cooperative = false;
    for (unsigned int i = 0; i < config->numAttrs; ++i)
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            cooperative = config->attrs[i].val.cooperative != 0;
    const void* const address = reinterpret_cast<const void*>(kernel);
    const sim::Argument pointers[] = {sim::argument_of<Parameters>(arguments)..., {}};
    sim::launch_grid(
        {"a kernel", address, {__FILE__, __LINE__}},
        {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, cooperative},
        sim::thread_call(sim::kernel_call(address, sim::keep<Parameters>(arguments)...)), pointers,
        sizeof...(arguments));
    return cudaPeekAtLastError();
}
#undef SIM_HERE
