/// @file
/// @brief The runtime API: memory.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../faults/errors.hpp"
#include "../instrument/observer.hpp"
#include "../memory/device_memory.hpp"
#include "../memory/redzones.hpp"
#include "../streams/hazards.hpp"
#include "../streams/streams.hpp"
#include "../streams/unawaited.hpp"
#include "simulator/cooperation.h"

namespace sim {
namespace {

struct Pinned {
    std::size_t bytes;
    bool is_registered;      // by cudaHostRegister
    bool is_mapped = false;  // a kernel has got an address in it
    Calls pinned{};
};

std::mutex pinned_lock;
// Never destroyed, since destructors of static objects may still free memory.
auto& pinned = *new std::map<const char*, Pinned>;

/// Finds the pinned memory that contains a range, and calls a function with its start and its `Pinned`.
/// @return The function's result, or `otherwise` if no pinned memory contains the range.
template <typename Result, typename Function>
Result with_pinned(const void* pointer, std::size_t bytes, Result otherwise, Function function) {
    const char* const begin = static_cast<const char*>(pointer);
    const std::lock_guard<std::mutex> lock(pinned_lock);
    const auto next = pinned.upper_bound(begin);
    if (next == pinned.begin()) return otherwise;
    auto& [start, memory] = *std::prev(next);
    return begin + bytes <= start + memory.bytes ? function(start, memory) : otherwise;
}

bool unpin(const void* pointer, bool is_registered) {
    const std::lock_guard<std::mutex> lock(pinned_lock);
    const auto found = pinned.find(static_cast<const char*>(pointer));
    if (found == pinned.end() || found->second.is_registered != is_registered) return false;
    forget_shared(pointer, found->second.bytes);
    return pinned.erase(found), true;
}

/// Whether the host can provide this much memory without swapping.
bool is_available(std::size_t bytes) {
    constexpr std::size_t kSmall = 64 * 1024;  // a query of the system would take longer than the allocation
    return bytes <= kSmall || bytes <= platform::free_memory_bytes();
}

/// @param[in] role What a call uses the range for, as in "the source".
/// @return The reason why a range is not in device memory; empty if it is, or if it is in pinned memory,
/// which devices can also access.
std::string not_device_memory(const char* role, const void* pointer, std::size_t bytes) {
    const Place found = place(pointer, bytes);
    if (!is_pageable(pointer, bytes)) return {};
    if (pointer == nullptr) return std::string(role) + " is a null pointer";
    if (found == Place::outside) return std::string(role) + " is not in device memory";
    return std::string(role) + "'s " + std::to_string(bytes) + " bytes begin at " + allocation_text(pointer);
}

/// @return The reason why a range is neither in device memory nor in host memory; empty if it is in one of
/// the two. It is in neither if it is null or only partly inside an allocation.
std::string not_memory(const char* role, const void* pointer, std::size_t bytes) {
    return pointer != nullptr && place(pointer, bytes) == Place::outside
               ? ""
               : not_device_memory(role, pointer, bytes);
}

/// @return The reason why a copy's ranges do not fit its direction, which says which of them must be device
/// memory; empty if they fit.
std::string wrong_range(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const std::string why = (to_device ? not_device_memory : not_memory)("the destination", to, bytes);
    return why.empty() ? (from_device ? not_device_memory : not_memory)("the source", from, bytes) : why;
}

bool tells_of_poison = false;

/// Whether the poison from one index to another may be a grey area of an image: then the bytes before and
/// after it have nearly the same value.
bool is_in_image(std::string_view bytes, std::size_t from, std::size_t to) {
    const auto is_near = [&](std::size_t i) {
        return i >= bytes.size() || std::abs(static_cast<unsigned char>(bytes[i]) - kPoison) <= 16;
    };
    const std::size_t before = bytes.find_last_not_of(static_cast<char>(kPoison), from);
    return (before < bytes.size() || to < bytes.size()) && is_near(before) && is_near(to);
}

/// Looks for poison in what is about to be copied. A program that copies poison to the host has probably not
/// written this memory, which is reported once. Nothing is reported if the bytes may be the program's own
/// numbers: in what may be a grey image, or once the program itself has stored such bytes in device memory.
void look_for_poison(const void* to, const void* from, std::size_t bytes) {
    const bool to_host = place(to, bytes) == Place::outside, from_host = place(from, bytes) == Place::outside;
    if (!tells_of_poison || to_host == from_host) return;
    std::uint32_t poison, number;
    std::memset(&poison, kPoison, sizeof(poison));
    const std::string_view copied(static_cast<const char*>(from), bytes);
    for (std::size_t i = 0; i + sizeof(number) <= bytes; i += sizeof(number)) {
        const char* const at = copied.data() + i;
        std::memcpy(&number, at, sizeof(number));
        if (number != poison) continue;
        const std::size_t end = std::min(copied.find_first_not_of(static_cast<char>(kPoison), i), bytes);
        if (is_in_image(copied, i, end)) {
            i = end / sizeof(number) * sizeof(number);
            continue;
        }
        tells_of_poison = false;
        if (to_host)
            tell_at_end(Calls().line() + " copies 0xA5A5A5A5 to the host, from " + allocation_text(at) +
                        ": this number " + kPoisonSource);
        return;
    }
}

void set_bytes(void* pointer, int value, std::size_t bytes) {
    const CopyAccess access(pointer, bytes);
    std::memset(pointer, value, bytes);
    if (static_cast<unsigned char>(value) == kPoison) tells_of_poison = false;
    if (observer != nullptr) observer->stored(pointer, nullptr, bytes);
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
    const CopyAccess access_to(to, bytes), access_from(from, bytes);
    std::memmove(to, from, bytes);
    if (observer != nullptr)
        observer->stored(to, from, bytes);
    else
        look_for_poison(to, from, bytes);
}

/// @param[in] waits Whether the host waits until managed memory is set. It waits for no other memory.
cudaError_t set(const char* call, void* pointer, int value, std::size_t bytes, cudaStream_t stream,
                bool waits) {
    if (bytes == 0) return cudaSuccess;
    if (std::string why = not_device_memory("the memory", pointer, bytes); !why.empty())
        return finish(cudaErrorInvalidValue, std::move(why));
    if (const cudaError_t error = stream_error(stream); error != cudaSuccess) return finish(error);
    waits = waits && is_managed(pointer);
    if (is_late(stream)) {
        Operation operation{
            call, {{static_cast<char*>(pointer), bytes, true}}, [=] { set_bytes(pointer, value, bytes); }};
        waits ? do_now(stream, std::move(operation)) : enqueue(stream, std::move(operation));
        return finish(cudaSuccess);
    }
    if (waits) wait_for(stream);
    set_bytes(pointer, value, bytes);
    return finish(cudaSuccess);
}

cudaError_t copy(const char* call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream, bool waits) {
    if (bytes == 0) return cudaSuccess;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return finish(cudaErrorInvalidMemcpyDirection);
    if (const std::string why = wrong_range(to, from, bytes, kind); !why.empty())
        return finish(cudaErrorInvalidValue, why);
    if (const cudaError_t error = stream_error(stream, true); error != cudaSuccess) return finish(error);
    const bool from_pageable = is_pageable(from, bytes), to_pageable = is_pageable(to, bytes);
    const bool from_pinned = !from_pageable && place(from, bytes) == Place::outside;
    const bool to_pinned = !to_pageable && place(to, bytes) == Place::outside;
    // Even without streams, the host may use pinned memory before an asynchronous copy has finished. The copy
    // is therefore enqueued, so that this mistake is found.
    if (!is_late(stream) && (waits || from_pageable || to_pageable || !(from_pinned || to_pinned))) {
        if (waits || to_pageable) wait_for(stream);
        copy_bytes(to, from, bytes);
        return finish(cudaSuccess);
    }
    Operation operation{call};
    if (!to_pageable) operation.uses.push_back({static_cast<char*>(to), bytes, true});
    if (!from_pageable) operation.uses.push_back({static_cast<const char*>(from), bytes, false});
    waits = waits || to_pageable;
    if (waits || !from_pageable || is_captured(stream)) {
        operation.run = [=] { copy_bytes(to, from, bytes); };
    } else {  // the bytes are copied at once, as CUDA does
        const char* const begin = static_cast<const char*>(from);
        operation.run = [to, bytes, staged = std::make_shared<std::vector<char>>(begin, begin + bytes)] {
            copy_bytes(to, staged->data(), bytes);
        };
    }
    waits ? do_now(stream, std::move(operation)) : enqueue(stream, std::move(operation));
    return finish(cudaSuccess);
}

}  // namespace

bool tell_of_poison() { return tells_of_poison = true; }

bool is_pageable(const void* pointer, std::size_t bytes) {
    return place(pointer, bytes) != Place::inside &&
           with_pinned(pointer, bytes, true, [](const char*, const Pinned&) { return false; });
}

std::string pinned_text(const void* address) {
    return with_pinned(address, 1, std::string(), [&](const char* begin, const Pinned& memory) {
        const std::string line = memory.pinned.line();
        return "byte " + std::to_string(static_cast<const char*>(address) - begin) +
               " of a pinned buffer of " + Redzoned::bytes_text(memory.bytes) +
               (line.empty() ? "" : (memory.is_registered ? " registered at " : " allocated at ") + line);
    });
}

void note_shared(const void* address) {
    with_pinned(address, 1, 0, [](const char*, Pinned& memory) { return memory.is_mapped = true, 0; });
}

std::vector<platform::Range> mapped_pages() {
    std::vector<platform::Range> result;
    const std::lock_guard<std::mutex> lock(pinned_lock);
    for (const auto& [begin, memory] : pinned)
        if (memory.is_mapped && !memory.is_registered) {
            char* const pages = const_cast<char*>(begin);
            result.push_back({pages, pages + round_up(memory.bytes, platform::page_bytes())});
        }
    return result;
}

const char* pinned_end(const Use& range) {
    const char* const end = range.begin + range.bytes;
    return with_pinned(range.begin, range.bytes, end, [&](const char* begin, const Pinned& memory) {
        if (memory.is_registered || end != begin + memory.bytes) return end;
        return begin + round_up(memory.bytes, platform::page_bytes());
    });
}

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, std::size_t offset, void* host,
                        std::size_t bytes, bool to_symbol) {
    if (sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (bytes == 0) return finish(cudaSuccess);
    wait_for(nullptr);
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
    if (!sim::is_available(bytes)) return finish(cudaErrorMemoryAllocation);
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
    if (!sim::is_available(bytes)) return finish(cudaErrorMemoryAllocation);
    try {
        *pointer = sim::allocate(bytes, true);
    } catch (const std::bad_alloc&) {
        return finish(cudaErrorMemoryAllocation);
    }
    // The host stores there directly, which the observer cannot see: all bytes count as written.
    if (sim::observer != nullptr) sim::observer->stored(*pointer, pointer, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void* pointer) {
    sim::wait_for_all_devices();
    const bool known = pointer == nullptr || sim::deallocate(static_cast<char*>(pointer));
    return finish(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) return answer(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0 || sim::sticky_error() != cudaSuccess) return finish(cudaSuccess);
    // CUDA pins whole pages, into which files can be read without the system's page cache.
    const std::size_t page = sim::platform::page_bytes();
    if (bytes > sim::platform::free_memory_bytes() ||
        posix_memalign(pointer, page, sim::round_up(bytes, page)) != 0)
        return finish(cudaErrorMemoryAllocation);
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    sim::pinned.insert_or_assign(static_cast<char*>(*pointer), sim::Pinned{bytes, false});
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* pointer) {
    sim::wait_for_all_devices();
    if (pointer != nullptr && !sim::unpin(pointer, false)) return finish(cudaErrorInvalidValue);
    std::free(pointer);
    return finish(cudaSuccess);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
    if (pointer == nullptr || bytes == 0) return finish(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(sim::pinned_lock);
    const bool is_new = sim::pinned.emplace(static_cast<char*>(pointer), sim::Pinned{bytes, true}).second;
    return finish(is_new ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
    sim::wait_for_all_devices();
    return finish(sim::unpin(pointer, true) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    if (free_bytes != nullptr) *free_bytes = sim::platform::free_memory_bytes();
    if (total_bytes != nullptr) *total_bytes = sim::device_memory_bytes();
    return finish(cudaSuccess);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
    return sim::set("cudaMemset", pointer, value, bytes, nullptr, true);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return sim::copy("cudaMemcpy", to, from, bytes, kind, nullptr, true);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
    return sim::set("cudaMemsetAsync", pointer, value, bytes, stream, false);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return sim::copy("cudaMemcpyAsync", to, from, bytes, kind, stream, false);
}
