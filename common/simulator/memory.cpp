/// @file
/// @brief The runtime API: memory.
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "../cuda/host_memory.hpp"
#include "device_memory.hpp"
#include "errors.hpp"
#include "fenced.hpp"
#include "observer.hpp"
#include "streams.hpp"

namespace sim {
namespace {

std::mutex pinned_lock;
// Never destroyed, since destructors of static objects may still free memory.
auto& pinned = *new std::map<const void*, std::size_t>;      // from cudaMallocHost, with its size
auto& registered = *new std::map<const void*, std::size_t>;  // pinned by cudaHostRegister

/// Whether a range is host memory that a device cannot read directly.
bool is_pageable(const void* pointer, std::size_t bytes) {
    if (place(pointer, bytes) == Place::inside) return false;
    const std::lock_guard<std::mutex> lock(pinned_lock);
    for (const auto* const ranges : {&pinned, &registered}) {
        const auto next = ranges->upper_bound(pointer);
        if (next == ranges->begin()) continue;
        const auto& [begin, size] = *std::prev(next);
        if (static_cast<const char*>(pointer) + bytes <= static_cast<const char*>(begin) + size) return false;
    }
    return true;
}

cudaError_t memset_error(const void* pointer, std::size_t bytes) {
    if (sticky_error() != cudaSuccess) return sticky_error();
    return place(pointer, bytes) == Place::inside ? cudaSuccess : cudaErrorInvalidValue;
}

/// The direction only says which of the two ranges must be device memory.
cudaError_t copy_error(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (sticky_error() != cudaSuccess) return sticky_error();
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    const auto valid = [&](const void* pointer, bool device) {
        const Place found = place(pointer, bytes);
        return pointer != nullptr && found != Place::across && (!device || found == Place::inside);
    };
    const bool is_valid = valid(to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) &&
                          valid(from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
    return is_valid ? cudaSuccess : cudaErrorInvalidValue;
}

void set_bytes(void* pointer, int value, std::size_t bytes) {
    const CopyAccess access(pointer, bytes);
    std::memset(pointer, value, bytes);
    if (observer != nullptr) observer->stored(pointer, nullptr, bytes);
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
    const CopyAccess access_to(to, bytes), access_from(from, bytes);
    std::memmove(to, from, bytes);
    if (observer != nullptr) observer->stored(to, from, bytes);
}

}  // namespace

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, std::size_t offset, void* host,
                        std::size_t bytes, bool to_symbol) {
    if (sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (bytes == 0) return finish(cudaSuccess);
    wait_for_blocking_streams();
    if (host == nullptr || offset > symbol_bytes || bytes > symbol_bytes - offset)
        return finish(cudaErrorInvalidValue);
    char* const start = static_cast<char*>(symbol) + offset;
    std::memcpy(to_symbol ? start : host, to_symbol ? host : start, bytes);
    return finish(cudaSuccess);
}

}  // namespace sim

using sim::answer;
using sim::finish;

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

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int) {
    if (pointer == nullptr || bytes == 0) return answer(cudaErrorInvalidValue);
    if (sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (bytes > sim::device_memory_bytes()) return finish(cudaErrorMemoryAllocation);
    try {
        *pointer = sim::allocate(bytes, true);
    } catch (const std::bad_alloc&) {
        return finish(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

cudaError_t cudaFree(void* pointer) {
    sim::wait_for_device();
    const bool known = pointer == nullptr || sim::deallocate(static_cast<char*>(pointer));
    return finish(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) return answer(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    // CUDA pins whole pages, and files can be read to them past the system's cache.
    if (bytes > host_memory_bytes() || posix_memalign(pointer, sim::Fenced::page_bytes(), bytes) != 0)
        return finish(cudaErrorMemoryAllocation);
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    sim::pinned[*pointer] = bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* pointer) {
    sim::wait_for_device();
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    if (pointer != nullptr && sim::pinned.erase(pointer) == 0) return finish(cudaErrorInvalidValue);
    std::free(pointer);
    return finish(cudaSuccess);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
    if (pointer == nullptr || bytes == 0) return finish(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    return finish(sim::registered.emplace(pointer, bytes).second ? cudaSuccess
                                                                 : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
    sim::wait_for_device();
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    return finish(sim::registered.erase(pointer) == 1 ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    if (free_bytes != nullptr) *free_bytes = host_memory_bytes();
    if (total_bytes != nullptr) *total_bytes = sim::device_memory_bytes();
    return finish(cudaSuccess);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
    return cudaMemsetAsync(pointer, value, bytes);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpyAsync(to, from, bytes, kind);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
    if (bytes == 0) return cudaSuccess;
    cudaError_t error = sim::memset_error(pointer, bytes);
    if (error == cudaSuccess) error = sim::stream_error(stream);
    if (error != cudaSuccess) return finish(error);
    const auto work = [=] { sim::set_bytes(pointer, value, bytes); };
    sim::is_late(stream) ? sim::order(stream, work) : sim::do_now(stream, work);
    return finish(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    if (bytes == 0) return cudaSuccess;
    cudaError_t error = sim::copy_error(to, from, bytes, kind);
    if (error == cudaSuccess) error = sim::stream_error(stream);
    if (error != cudaSuccess) return finish(error);
    const auto work = [=] { sim::copy_bytes(to, from, bytes); };
    const bool may_be_late = !sim::is_pageable(to, bytes) && !sim::is_pageable(from, bytes);
    may_be_late&& sim::is_late(stream) ? sim::order(stream, work) : sim::do_now(stream, work);
    return finish(cudaSuccess);
}
