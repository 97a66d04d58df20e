/// @file
/// @brief The runtime API: memory.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>

#include "../cuda/host_memory.hpp"
#include "device_memory.hpp"
#include "errors.hpp"
#include "observer.hpp"

namespace sim {
namespace {

std::mutex pinned_lock;
// Never destroyed, since destructors of static objects may still free memory.
auto& pinned = *new std::set<void*>;      // what cudaMallocHost gave
auto& registered = *new std::set<void*>;  // what cudaHostRegister pinned

}  // namespace

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
    const bool known = pointer == nullptr || sim::deallocate(static_cast<char*>(pointer));
    return finish(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) return answer(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    *pointer = bytes > host_memory_bytes() ? nullptr : std::malloc(bytes);
    if (*pointer == nullptr) return finish(cudaErrorMemoryAllocation);
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    sim::pinned.insert(*pointer);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* pointer) {
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    if (pointer != nullptr && sim::pinned.erase(pointer) == 0) return finish(cudaErrorInvalidValue);
    std::free(pointer);
    return finish(cudaSuccess);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
    if (pointer == nullptr || bytes == 0) return finish(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    return finish(sim::registered.insert(pointer).second ? cudaSuccess
                                                         : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
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
    const sim::CopyAccess access(pointer, bytes);
    std::memset(pointer, value, bytes);
    if (sim::observer != nullptr) sim::observer->stored(pointer, nullptr, bytes);
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
    const sim::CopyAccess access_to(to, bytes), access_from(from, bytes);
    std::memmove(to, from, bytes);
    if (sim::observer != nullptr) sim::observer->stored(to, from, bytes);
    return finish(cudaSuccess);
}
