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
#include <set>
#include <utility>

#include "../cuda/host_memory.hpp"
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

// What each kernel may ask for by cudaFuncSetAttribute. A reset of the device does not change it.
std::mutex attribute_lock;
std::map<const void*, std::size_t> most_dynamic_shared_bytes;

struct Allocation {
    std::size_t bytes;
    std::unique_ptr<Pages> pages;
};
std::mutex memory_lock;
// Never destroyed: static objects may free late.
auto& allocations = *new std::map<char*, Allocation>;
auto& pinned = *new std::set<void*>;

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

/// What a call answers that asks about the device, or is given no place for its answer.
cudaError_t answer(cudaError_t error) { return error == cudaSuccess ? error : set_error(error); }

/// What all other calls answer: a kernel's fault, if there is one, before anything else.
cudaError_t finish(cudaError_t error) {
    const cudaError_t sticky = sticky_error();
    return answer(sticky != cudaSuccess ? sticky : error);
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
    last_error = error;
    if (error != cudaErrorInvalidValue) fault_error = error;
    fault_text = what;
    std::fprintf(stderr, "simulator: %s\n", what.c_str());
}

cudaError_t sticky_error() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    return fault_error;
}

const char* last_fault() { return fault_text.c_str(); }

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

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, std::size_t offset, void* host,
                        std::size_t bytes, bool to_symbol) {
    if (sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (bytes == 0) return finish(cudaSuccess);
    if (host == nullptr || offset > symbol_bytes || bytes > symbol_bytes - offset)
        return finish(cudaErrorInvalidValue);
    char* const start = static_cast<char*>(symbol) + offset;
    std::memcpy(to_symbol ? start : host, to_symbol ? host : start, bytes);
    return finish(cudaSuccess);
}

}  // namespace sim

using sim::answer;
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
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return answer(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaGetDevice(int* device) {
    if (device == nullptr) return answer(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (properties == nullptr) return answer(cudaErrorInvalidValue);
    if (device != 0) return answer(cudaErrorInvalidDevice);
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
        case cudaDevAttrClockRate: *value = 1000000; return cudaSuccess;  // kHz: clock() counts nanoseconds
        case cudaDevAttrMemoryClockRate: *value = 0; return cudaSuccess;  // a CPU does not say
    }
    return answer(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() { return finish(cudaSuccess); }

cudaError_t cudaDeviceReset() {
    const std::scoped_lock lock(sim::memory_lock, sim::fault_lock);
    sim::allocations.clear();
    sim::fault_error = cudaSuccess;
    sim::fault_text.clear();
    return cudaSuccess;
}

// --- Memory -------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) return answer(cudaErrorInvalidValue);
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
    if (pointer == nullptr) return answer(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    *pointer = bytes > host_memory_bytes() ? nullptr : std::malloc(bytes);
    if (*pointer == nullptr) return finish(cudaErrorMemoryAllocation);
    const std::lock_guard<std::mutex> lock(sim::memory_lock);
    sim::pinned.insert(*pointer);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* pointer) {
    const std::lock_guard<std::mutex> lock(sim::memory_lock);
    if (pointer != nullptr && sim::pinned.erase(pointer) == 0) return finish(cudaErrorInvalidValue);
    std::free(pointer);
    return finish(cudaSuccess);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    if (free_bytes != nullptr) *free_bytes = host_memory_bytes();
    if (total_bytes != nullptr) *total_bytes = sim::memory_bytes();
    return finish(cudaSuccess);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
    if (bytes == 0) return cudaSuccess;
    if (sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (sim::place(pointer, bytes) != Place::inside) return finish(cudaErrorInvalidValue);
    std::memset(pointer, value, bytes);
    return finish(cudaSuccess);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return cudaSuccess;
    if (sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return finish(cudaErrorInvalidMemcpyDirection);
    // Of host and device memory, the direction only says which of the two must be the device's.
    const auto valid = [&](const void* pointer, bool device) {
        const Place found = sim::place(pointer, bytes);
        return pointer != nullptr && found != Place::across && (!device || found == Place::inside);
    };
    if (!valid(to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
        !valid(from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice))
        return finish(cudaErrorInvalidValue);
    std::memmove(to, from, bytes);
    return finish(cudaSuccess);
}

// --- Streams and events -------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    if (stream == nullptr) return answer(cudaErrorInvalidValue);
    *stream = new SimStream;
    return finish(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (stream == nullptr) return finish(cudaErrorInvalidResourceHandle);
    delete stream;
    return finish(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return finish(cudaSuccess); }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    if (event == nullptr) return answer(cudaErrorInvalidValue);
    *event = new SimEvent;
    return finish(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
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
    if (milliseconds == nullptr) return answer(cudaErrorInvalidValue);
    if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded)
        return finish(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
    return finish(cudaSuccess);
}
