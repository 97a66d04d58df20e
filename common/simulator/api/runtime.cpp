/// @file
/// @brief The runtime API: devices, and the attributes of kernels.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "../faults/errors.hpp"
#include "../grid/device.hpp"
#include "../memory/device_memory.hpp"
#include "../platform/platform.hpp"
#include "../streams/streams.hpp"

using sim::answer;
using sim::finish;

// --- Devices ------------------------------------------------------------------------------------

namespace {
thread_local int chosen_device = 0;
}  // namespace

int sim::current_device() { return chosen_device; }
int sim::choose_device(int device) { return std::exchange(chosen_device, device); }

cudaError_t cudaDriverGetVersion(int* version) {
    if (version == nullptr) return answer(cudaErrorInvalidValue);
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) return answer(cudaErrorInvalidValue);
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    if (count == nullptr) return answer(cudaErrorInvalidValue);
    *count = sim::device_count();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= sim::device_count()) return answer(cudaErrorInvalidDevice);
    chosen_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    if (device == nullptr) return answer(cudaErrorInvalidValue);
    *device = chosen_device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (properties == nullptr) return answer(cudaErrorInvalidValue);
    if (device < 0 || device >= sim::device_count()) return answer(cudaErrorInvalidDevice);
    cudaDeviceProp p{};
    const unsigned int cores = sim::workers();
    std::snprintf(p.name, sizeof(p.name), "simulator on %u CPU core%s", cores, cores == 1 ? "" : "s");
    const std::array id{std::hash<std::string>()(sim::platform::host_name()),
                        static_cast<std::size_t>(device)};
    std::memcpy(p.uuid.bytes, id.data(), sizeof(p.uuid));
    p.totalGlobalMem = sim::device_memory_bytes();
    p.sharedMemPerBlock = sim::kStaticSharedBytes;
    p.regsPerBlock = 65536;
    p.warpSize = warpSize;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = sim::kMaxThreadsPerBlock;
    std::copy(sim::kMaxBlock, sim::kMaxBlock + 3, p.maxThreadsDim);
    std::copy(sim::kMaxGrid, sim::kMaxGrid + 3, p.maxGridSize);
    p.totalConstMem = 65536;
    p.major = 9;
    p.minor = 0;
    p.textureAlignment = 512;
    p.multiProcessorCount = static_cast<int>(sim::multiprocessors());
    p.asyncEngineCount = 1;
    p.memoryBusWidth = 64;
    p.l2CacheSize = sim::kL2Bytes;
    p.maxThreadsPerMultiProcessor = sim::kMaxThreadsPerMultiprocessor;
    p.maxBlocksPerMultiProcessor = sim::kMaxBlocksPerMultiprocessor;
    p.sharedMemPerMultiprocessor = sim::kSharedBytesPerMultiprocessor;
    p.sharedMemPerBlockOptin = sim::kSharedBytesPerBlock;
    p.reservedSharedMemPerBlock = sim::kReservedSharedBytes;
    p.regsPerMultiprocessor = 65536;
    p.clockRate = 1000000;        // kHz: clock() counts nanoseconds
    p.memoryClockRate = 1600000;  // kHz; gives the bandwidth of one DDR4 channel, by which programs divide
    p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.deviceOverlap = p.concurrentKernels = p.cooperativeLaunch = p.hostRegisterSupported = 1;
    p.streamPrioritiesSupported = p.memoryPoolsSupported = p.canUseHostPointerForRegisteredMem = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = p.computePreemptionSupported = 1;
    *properties = p;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    if (value == nullptr) return answer(cudaErrorInvalidValue);
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
    switch (attribute) {
#define X(name, number, property) \
    case name: *value = static_cast<int>(p.property); return cudaSuccess;
        SIM_ATTRIBUTES(X)
#undef X
    }
    return answer(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() {
    sim::wait_for_device();
    return finish(cudaSuccess);
}

cudaError_t cudaDeviceReset() {
    sim::wait_for_device();
    sim::deallocate_all();
    sim::forget_fault();
    return cudaSuccess;
}

// --- Kernels' attributes ------------------------------------------------------------------------

namespace sim {
namespace {

// The shared memory that each kernel has requested by cudaFuncSetAttribute. Resetting the device does not
// change it.
std::mutex attribute_lock;
std::map<const void*, std::size_t> most_dynamic_shared_bytes;

}  // namespace

SharedLimit shared_limit(const void* kernel) {
    if (kernel == nullptr) return {kSharedBytesPerBlock, kSharedBytesPerBlock};
    const std::lock_guard<std::mutex> lock(attribute_lock);
    const auto asked = most_dynamic_shared_bytes.find(kernel);
    if (asked == most_dynamic_shared_bytes.end()) return {kStaticSharedBytes, kStaticSharedBytes};
    return {asked->second, kSharedBytesPerBlock};
}

cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    const bool valid = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
                       value <= static_cast<int>(kSharedBytesPerBlock);
    if (!valid || sticky_error() != cudaSuccess) return finish(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(attribute_lock);
    most_dynamic_shared_bytes[kernel] = static_cast<std::size_t>(value);
    return cudaSuccess;
}

cudaError_t occupancy(int* blocks, const void* kernel, int threads_per_block,
                      std::size_t dynamic_shared_bytes) {
    if (blocks == nullptr || threads_per_block < 1 || sticky_error() != cudaSuccess)
        return finish(cudaErrorInvalidValue);
    const std::size_t warps = (static_cast<std::size_t>(threads_per_block) + warpSize - 1) / warpSize;
    const std::size_t by_threads = kMaxThreadsPerMultiprocessor / (warps * warpSize);
    const std::size_t by_shared =
        kSharedBytesPerMultiprocessor / (dynamic_shared_bytes + kReservedSharedBytes);
    const std::size_t limit = kMaxBlocksPerMultiprocessor;
    const bool launches = threads_per_block <= static_cast<int>(kMaxThreadsPerBlock) &&
                          dynamic_shared_bytes <= shared_limit(kernel).dynamic_bytes;
    *blocks = launches ? static_cast<int>(std::min({by_threads, by_shared, limit})) : 0;
    return finish(cudaSuccess);
}

}  // namespace sim
