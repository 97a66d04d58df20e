/// @file
/// @brief Missing waits: operations in streams and accesses of the host that use the same memory and are not
/// ordered.
///
/// An operation in a stream is done as late as possible: when the host waits for it. If two operations are
/// not ordered, the first is therefore still pending when the second is enqueued, and the two can be
/// compared. While a kernel runs, memory used by copies that are not ordered with it is protected, so that an
/// access traps. Pinned memory is protected only until the copy is done, because the host may use it from
/// then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "../platform/platform.hpp"
#include "operation.hpp"

namespace sim {

using Operations = std::deque<std::shared_ptr<Operation>>;

std::string stream_text(std::uintptr_t stream);

/// @return What is wrong with a copy that is about to be enqueued; empty if nothing.
/// @param others The operations that may still be in flight.
std::string conflict_text(const Operation& copy, const Operations& others);

/// Watches the host memory of a copy that has been enqueued. Until the copy is done, the host can't access
/// what the copy writes, and `run_watched` finds whether the host has changed what the copy reads.
void watch_host(const std::shared_ptr<Operation>& copy, const Operations& others);
/// Does an operation, during which the host memory that it uses is not protected.
/// @return A message if the host has changed what the operation reads; otherwise empty.
std::string run_watched(Operation& operation);

/// The running kernel, and the kernels of other streams that are not ordered with it.
struct Concurrency {
    std::uint64_t number = 0;  ///< the running kernel's operation; 0 if it was not enqueued
    std::uintptr_t stream = 0;
    std::vector<std::uint64_t> done{};  ///< the numbers of those kernels that have run
    std::size_t to_come = 0;            ///< how many of those kernels have not run yet
};
const Concurrency& concurrency();

/// Notes the kernel that runs next, and the operations that are not ordered with it.
void begin_kernel(const Operation& kernel, const Operations& others);
/// Called when the kernel of `begin_kernel` has run.
/// @return A message if the kernel has changed host memory that an unordered copy reads; otherwise empty.
std::string end_kernel();
/// While a grid runs, protects the memory of copies that are not ordered with its kernel.
/// @param is_reachable Whether the grid may use an address.
void guard_grid(bool (*is_reachable)(const void* address));
/// Forgets what `guard_grid` has protected.
/// @return Whether any memory was protected: the caller must make it accessible.
bool release_grid();

/// Whether a range is used by a pending copy to the host, or by a copy not ordered with the running kernel.
bool is_used_by_copies(const Use& range);

/// Called when an access has trapped, perhaps because a copy uses the same page. Allows the access unless a
/// conflicting copy uses this address. @return Whether the access is allowed now.
bool let_pass(const void* address, bool by_kernel);
/// @return Which copy uses an address, as text that follows the address; empty if none.
std::string copy_text(const void* address, bool by_kernel);

/// Whether a range is host memory that a device cannot read directly.
bool is_pageable(const void* pointer, std::size_t bytes);
/// A description of an address in pinned memory; empty for any other address.
std::string pinned_text(const void* address);
/// Called when a kernel gets an address as an argument. If the address is in pinned memory, this memory
/// counts as shared by the host and kernels from then on.
void note_shared(const void* address);
/// The pages of all memory from cudaMallocHost of which a kernel has got an address.
std::vector<platform::Range> mapped_pages();
/// The end of a range of pinned memory or, if an allocation by cudaMallocHost ends there, the end of the
/// allocation's last page, which nothing else uses.
const char* pinned_end(const Use& range);

}  // namespace sim
