/// @file
/// @brief The runtime API: errors, the device's description, memory, streams, events.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>

#include "../host_memory.hpp"
#include "scheduler.h"

struct SimStream {};
struct SimEvent {
    std::chrono::steady_clock::time_point time;
    bool recorded = false;
};

namespace sim {
namespace {

// CUDA keeps the last error for each host thread, and a kernel's fault for the whole process.
thread_local cudaError_t last_error = cudaSuccess;
std::mutex fault_lock;
cudaError_t fault_error = cudaSuccess;
std::string fault_text;

/// @brief Device memory: each allocation ends at a page that nobody may touch.
///
/// `[guard page][unused][the bytes, rounded up to 256][guard page]`: a thread that runs off either
/// end by more than the rounding is caught at once, and the rounding is full of poison.
class DeviceMemory {
 public:
    void* allocate(std::size_t bytes) {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        if (bytes > SIZE_MAX / 2) return nullptr;
        const std::size_t rounded = (bytes + 255) / 256 * 256;
        const std::size_t mapped = (rounded + page - 1) / page * page + 2 * page;
        void* const region =
            mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (region == MAP_FAILED) return nullptr;
        char* const first = static_cast<char*>(region) + page;
        mprotect(first, mapped - 2 * page, PROT_READ | PROT_WRITE);
        char* const pointer = static_cast<char*>(region) + mapped - page - rounded;
        std::memset(pointer, kPoison, rounded);
        const std::lock_guard<std::mutex> lock(mutex_);
        allocations_[reinterpret_cast<std::uintptr_t>(pointer)] = {bytes, region, mapped};
        return pointer;
    }

    bool release(void* pointer) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == allocations_.end()) return false;
        munmap(found->second.region, found->second.mapped);
        allocations_.erase(found);
        return true;
    }

    void release_all() {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const auto& entry : allocations_) munmap(entry.second.region, entry.second.mapped);
        allocations_.clear();
    }

    /// Is every byte of the range inside one allocation?
    bool contains(const void* pointer, std::size_t bytes) const { return find(pointer, bytes) == kInside; }
    /// Does the range touch no allocation at all?
    bool is_host(const void* pointer, std::size_t bytes) const { return find(pointer, bytes) == kOutside; }

 private:
    struct Allocation {
        std::size_t bytes;
        void* region;
        std::size_t mapped;
    };
    enum Place { kInside, kOutside, kAcross };

    Place find(const void* pointer, std::size_t bytes) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
        auto next = allocations_.upper_bound(begin);
        const bool next_is_free = next == allocations_.end() || next->first - begin >= bytes;
        if (next == allocations_.begin()) return next_is_free ? kOutside : kAcross;
        const auto& [start, allocation] = *std::prev(next);
        const std::size_t offset = begin - start;
        if (offset > allocation.bytes || (offset == allocation.bytes && bytes > 0))
            return next_is_free ? kOutside : kAcross;
        return bytes <= allocation.bytes - offset ? kInside : kAcross;
    }

    mutable std::mutex mutex_;
    std::map<std::uintptr_t, Allocation> allocations_;
};

DeviceMemory& device_memory() {
    static DeviceMemory memory;
    return memory;
}

/// What every call does first: a kernel's fault is answered by all of them.
cudaError_t finish(cudaError_t error) {
    if (const cudaError_t sticky = sticky_error()) return sticky;
    return error == cudaSuccess ? error : set_error(error);
}

std::size_t memory_bytes(int pages) {
    return static_cast<std::size_t>(sysconf(pages)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

cudaError_t set_error(cudaError_t error) {
    return last_error = error;
}

void set_fault(cudaError_t error, const std::string& what) {
    const std::lock_guard<std::mutex> lock(fault_lock);
    fault_error = error;
    fault_text = what;
    std::fprintf(stderr, "simulator: %s\n", what.c_str());
}

cudaError_t sticky_error() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    return fault_error;
}

const char* last_fault() {
    return fault_text.c_str();
}

cudaError_t set_function_attribute(cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        return finish(value < 0 || value > static_cast<int>(kSharedBytesPerBlock) ? cudaErrorInvalidValue
                                                                                  : cudaSuccess);
    return finish(value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t occupancy(int* blocks, int threads_per_block, std::size_t dynamic_shared_bytes) {
    if (blocks == nullptr || threads_per_block < 1) return finish(cudaErrorInvalidValue);
    const std::size_t warps = (static_cast<std::size_t>(threads_per_block) + warpSize - 1) / warpSize;
    const std::size_t by_threads = kMaxThreadsPerMultiprocessor / (warps * warpSize);
    const std::size_t by_shared =
        kSharedBytesPerMultiprocessor / (dynamic_shared_bytes + kReservedSharedBytes);
    const std::size_t limit = kMaxBlocksPerMultiprocessor;
    *blocks = threads_per_block > static_cast<int>(kMaxThreadsPerBlock)
                  ? 0
                  : static_cast<int>(std::min({by_threads, by_shared, limit}));
    return finish(cudaSuccess);
}

cudaError_t copy_symbol(void* to, const void* from, std::size_t symbol_bytes, std::size_t bytes,
                        std::size_t offset) {
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) return finish(cudaErrorInvalidValue);
    if (sticky_error() == cudaSuccess) std::memcpy(to, from, bytes);
    return finish(cudaSuccess);
}

}  // namespace sim

using sim::device_memory;
using sim::finish;

// --- Errors -------------------------------------------------------------------------------------

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define X(name, value, text) \
    case name: return #name;
        SIM_ERRORS(X)
#undef X
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define X(name, value, text) \
    case name: return text;
        SIM_ERRORS(X)
#undef X
    }
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() {
    const cudaError_t sticky = sim::sticky_error();
    return sticky != cudaSuccess ? sticky : sim::last_error;
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    sim::last_error = cudaSuccess;
    return error;
}

// --- The device ---------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    return finish(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return finish(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (properties == nullptr) return finish(cudaErrorInvalidValue);
    if (device != 0) return finish(cudaErrorInvalidDevice);
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof(p.name), "simulator on %u CPU core%s", sim::workers(),
                  sim::workers() == 1 ? "" : "s");
    p.totalGlobalMem = sim::memory_bytes(_SC_PHYS_PAGES);
    p.sharedMemPerBlock = sim::kStaticSharedBytes;
    p.regsPerBlock = 65536;
    p.warpSize = warpSize;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = sim::kMaxThreadsPerBlock;
    const int block_limits[3] = {1024, 1024, 64}, grid_limits[3] = {0x7fffffff, 65535, 65535};
    std::copy(block_limits, block_limits + 3, p.maxThreadsDim);
    std::copy(grid_limits, grid_limits + 3, p.maxGridSize);
    p.totalConstMem = 65536;
    p.major = 9;
    p.minor = 0;
    p.textureAlignment = 512;
    p.multiProcessorCount = static_cast<int>(sim::workers());
    p.l2CacheSize = static_cast<int>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 0L));
    p.maxThreadsPerMultiProcessor = sim::kMaxThreadsPerMultiprocessor;
    p.maxBlocksPerMultiProcessor = sim::kMaxBlocksPerMultiprocessor;
    p.sharedMemPerMultiprocessor = sim::kSharedBytesPerMultiprocessor;
    p.sharedMemPerBlockOptin = sim::kSharedBytesPerBlock;
    p.reservedSharedMemPerBlock = sim::kReservedSharedBytes;
    p.memoryBusWidth = 64;
    p.asyncEngineCount = 1;
    *properties = p;
    return finish(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    if (value == nullptr) return finish(cudaErrorInvalidValue);
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
        case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
        case cudaDevAttrWarpSize: *value = p.warpSize; break;
        case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
        case cudaDevAttrClockRate: *value = 1000000; break;  // kHz: clock() counts nanoseconds
        case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
        case cudaDevAttrMemoryClockRate: *value = 0; break;
        case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
        case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
        case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
        case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
        case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(p.sharedMemPerMultiprocessor);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(p.sharedMemPerBlockOptin);
            break;
        case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
        default: return finish(cudaErrorInvalidValue);
    }
    return finish(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = 0;  // what CUDA answers where no driver is installed
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    return finish(cudaSuccess);
}

cudaError_t cudaDeviceReset() {
    device_memory().release_all();
    const std::lock_guard<std::mutex> lock(sim::fault_lock);
    sim::fault_error = cudaSuccess;
    sim::fault_text.clear();
    sim::last_error = cudaSuccess;
    return cudaSuccess;
}

// --- Memory -------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) return finish(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (bytes > host_memory_bytes()) return finish(cudaErrorMemoryAllocation);
    *pointer = device_memory().allocate(bytes);
    return finish(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFree(void* pointer) {
    return finish(pointer == nullptr || device_memory().release(pointer) ? cudaSuccess
                                                                         : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) return finish(cudaErrorInvalidValue);
    *pointer = std::malloc(bytes);
    return finish(*pointer == nullptr && bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFreeHost(void* pointer) {
    std::free(pointer);
    return finish(cudaSuccess);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    *free_bytes = host_memory_bytes();
    *total_bytes = sim::memory_bytes(_SC_PHYS_PAGES);
    return finish(cudaSuccess);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (!device_memory().contains(pointer, bytes)) return finish(cudaErrorInvalidValue);
    std::memset(pointer, value, bytes);
    return finish(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t) {
    return cudaMemset(pointer, value, bytes);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return finish(cudaErrorInvalidMemcpyDirection);
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const auto valid = [&](const void* pointer, bool device) {
        const bool inside = device_memory().contains(pointer, bytes);
        const bool host = pointer != nullptr && device_memory().is_host(pointer, bytes);
        return kind == cudaMemcpyDefault ? inside || host : device ? inside : host;
    };
    if (!valid(to, to_device) || !valid(from, from_device)) return finish(cudaErrorInvalidValue);
    std::memmove(to, from, bytes);
    return finish(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
    return cudaMemcpy(to, from, bytes, kind);
}

// --- Streams and events -------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    *stream = new SimStream;
    return finish(cudaSuccess);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
    return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete stream;
    return finish(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return finish(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) {
    return finish(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new SimEvent;
    return finish(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return finish(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
    event->time = std::chrono::steady_clock::now();
    event->recorded = true;
    return finish(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return finish(event == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return cudaEventSynchronize(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded)
        return finish(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
    return finish(cudaSuccess);
}
