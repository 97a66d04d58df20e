/// @file
/// @brief The runtime API: errors, the device's description, memory, streams, events.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

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

struct Allocation {
    std::size_t bytes;
    std::unique_ptr<Pages> pages;
};
std::mutex memory_lock;
auto& allocations = *new std::map<char*, Allocation>;  // never destroyed: static objects may free late

/// @brief Allocates device memory, which ends at a page that nobody may touch.
///
/// `[guard page][unused][the bytes, rounded up to 256][guard page]`: a thread that runs off either
/// end by more than the rounding is caught at once, and the rounding is full of poison.
char* allocate(std::size_t bytes) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t rounded = (bytes + 255) / 256 * 256;
    const std::size_t readable = (rounded + page - 1) / page * page;
    auto pages = std::make_unique<Pages>(readable + 2 * page);
    pages->forbid(0, page);
    pages->forbid(page + readable, page);
    char* const pointer = pages->data() + page + readable - rounded;
    std::memset(pointer, kPoison, rounded);
    const std::lock_guard<std::mutex> lock(memory_lock);
    allocations[pointer] = {bytes, std::move(pages)};
    return pointer;
}

enum class Place { inside, outside, across };

/// Does a range lie inside one allocation, outside all of them, or neither?
Place place(const void* pointer, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer), end = begin + bytes;
    if (end < begin) return Place::across;
    const std::lock_guard<std::mutex> lock(memory_lock);
    const auto next = allocations.lower_bound(reinterpret_cast<char*>(end));
    if (next == allocations.begin()) return Place::outside;
    const auto& [start, allocation] = *std::prev(next);  // the last one that starts before the end
    const auto first = reinterpret_cast<std::uintptr_t>(start), last = first + allocation.bytes;
    if (begin >= last) return Place::outside;
    return first <= begin && end <= last ? Place::inside : Place::across;
}

/// What every call answers: a kernel's fault, if there is one, before anything else.
cudaError_t finish(cudaError_t error) {
    if (const cudaError_t sticky = sticky_error()) return set_error(sticky);
    return error == cudaSuccess ? error : set_error(error);
}

std::size_t memory_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool is_device_memory(const void* address) { return place(address, 1) == Place::inside; }

cudaError_t set_error(cudaError_t error) { return last_error = error; }

void set_fault(cudaError_t error, const std::string& what) {
    const std::lock_guard<std::mutex> lock(fault_lock);
    fault_error = last_error = error;
    fault_text = what;
    std::fprintf(stderr, "simulator: %s\n", what.c_str());
}

cudaError_t sticky_error() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    return fault_error;
}

const char* last_fault() { return fault_text.c_str(); }

cudaError_t set_function_attribute(cudaFuncAttribute attribute, int value) {
    const bool valid = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
                       value <= static_cast<int>(kSharedBytesPerBlock);
    return finish(valid ? cudaSuccess : cudaErrorInvalidValue);
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

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, std::size_t offset, void* host,
                        std::size_t bytes, bool to_symbol) {
    if (sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) return finish(cudaErrorInvalidValue);
    char* const start = static_cast<char*>(symbol) + offset;
    std::memcpy(to_symbol ? start : host, to_symbol ? host : start, bytes);
    return finish(cudaSuccess);
}

}  // namespace sim

using sim::finish;
using sim::Place;

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

cudaError_t cudaPeekAtLastError() { return sim::last_error; }

cudaError_t cudaGetLastError() { return std::exchange(sim::last_error, cudaSuccess); }

// --- The device ---------------------------------------------------------------------------------

cudaError_t cudaDriverGetVersion(int* version) {
    if (version == nullptr) return finish(cudaErrorInvalidValue);
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) return finish(cudaErrorInvalidValue);
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return finish(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return finish(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (properties == nullptr) return finish(cudaErrorInvalidValue);
    if (device != 0) return finish(cudaErrorInvalidDevice);
    cudaDeviceProp p{};
    const unsigned int cores = sim::workers();
    std::snprintf(p.name, sizeof(p.name), "simulator on %u CPU core%s", cores, cores == 1 ? "" : "s");
    p.totalGlobalMem = sim::memory_bytes();
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
    p.multiProcessorCount = static_cast<int>(cores);
    p.asyncEngineCount = 1;
    p.memoryBusWidth = 64;
    p.l2CacheSize = static_cast<int>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 0L));
    p.maxThreadsPerMultiProcessor = sim::kMaxThreadsPerMultiprocessor;
    p.maxBlocksPerMultiProcessor = sim::kMaxBlocksPerMultiprocessor;
    p.sharedMemPerMultiprocessor = sim::kSharedBytesPerMultiprocessor;
    p.sharedMemPerBlockOptin = sim::kSharedBytesPerBlock;
    p.reservedSharedMemPerBlock = sim::kReservedSharedBytes;
    *properties = p;
    return finish(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    if (value == nullptr) return finish(cudaErrorInvalidValue);
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
    switch (attribute) {
#define X(name, number, property) \
    case name: *value = static_cast<int>(p.property); return cudaSuccess;
        SIM_ATTRIBUTES(X)
#undef X
        case cudaDevAttrClockRate: *value = 1000000; return cudaSuccess;  // kHz: clock() counts nanoseconds
        case cudaDevAttrMemoryClockRate: *value = 0; return cudaSuccess;  // a CPU does not say
    }
    return finish(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() { return finish(cudaSuccess); }

cudaError_t cudaDeviceReset() {
    const std::scoped_lock lock(sim::memory_lock, sim::fault_lock);
    sim::allocations.clear();
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
    try {
        *pointer = sim::allocate(bytes);
    } catch (const std::bad_alloc&) {
        return finish(cudaErrorMemoryAllocation);
    }
    return finish(cudaSuccess);
}

cudaError_t cudaFree(void* pointer) {
    const std::lock_guard<std::mutex> lock(sim::memory_lock);
    const bool known = pointer == nullptr || sim::allocations.erase(static_cast<char*>(pointer)) == 1;
    return finish(known ? cudaSuccess : cudaErrorInvalidValue);
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
    *total_bytes = sim::memory_bytes();
    return finish(cudaSuccess);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (sim::place(pointer, bytes) != Place::inside) return finish(cudaErrorInvalidValue);
    std::memset(pointer, value, bytes);
    return finish(cudaSuccess);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return finish(cudaErrorInvalidMemcpyDirection);
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    const auto valid = [&](const void* pointer, bool device) {
        const Place found = sim::place(pointer, bytes);
        if (pointer == nullptr || found == Place::across) return false;
        return kind == cudaMemcpyDefault || device == (found == Place::inside);
    };
    if (!valid(to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
        !valid(from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice))
        return finish(cudaErrorInvalidValue);
    std::memmove(to, from, bytes);
    return finish(cudaSuccess);
}

// --- Streams and events -------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    *stream = new SimStream;
    return finish(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete stream;
    return finish(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return finish(cudaSuccess); }

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
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded)
        return finish(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
    return finish(cudaSuccess);
}
