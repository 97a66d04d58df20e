/// @file
/// @brief The runtime API: memory.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "../cuda/host_memory.hpp"
#include "device.hpp"
#include "errors.hpp"
#include "pages.hpp"

namespace sim {
namespace {

struct Allocation {
    std::size_t bytes;
    std::unique_ptr<Pages> pages;
};
std::mutex memory_lock;
// Never destroyed, since destructors of static objects may still free memory.
auto& allocations = *new std::map<char*, Allocation>;
auto& pinned = *new std::set<void*>;      // what cudaMallocHost gave
auto& registered = *new std::set<void*>;  // what cudaHostRegister pinned

/// @brief Allocates device memory between inaccessible pages.
///
/// `[guard page][unused][the bytes, rounded up to 256][guard page]`. A thread that leaves either end by
/// more than the rounding is caught at once. The rounding is filled with poison.
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

}  // namespace

bool is_device_memory(const void* address) { return place(address, 1) == Place::inside; }

void free_device_memory() {
    const std::lock_guard<std::mutex> lock(memory_lock);
    allocations.clear();
}

std::size_t device_memory_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
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

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
    if (pointer == nullptr || bytes == 0) return finish(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(sim::memory_lock);
    return finish(sim::registered.insert(pointer).second ? cudaSuccess
                                                         : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
    const std::lock_guard<std::mutex> lock(sim::memory_lock);
    return finish(sim::registered.erase(pointer) == 1 ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    if (free_bytes != nullptr) *free_bytes = host_memory_bytes();
    if (total_bytes != nullptr) *total_bytes = sim::device_memory_bytes();
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
