/// @file
/// @brief Missing waits: operations in streams and accesses of the host that use the same memory without an
/// order.
///
/// An operation in a stream is done as late as possible: when the host waits for it. So if two operations are
/// not ordered, the first is still pending when the second is enqueued, and the two can be compared. While a
/// kernel runs, memory used by copies that are not ordered with it is protected: an access raises a signal.
/// Pinned memory is protected only until the copy is done, because the host may use it from then on.
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
/// @param others Those that may still be in flight.
std::string conflict_text(const Operation& copy, const Operations& others);

/// Watches the host memory of a copy that has been enqueued: what it reads must not change until it is done,
/// and what it writes is inaccessible.
void watch_host(const std::shared_ptr<Operation>& copy, const Operations& others);
/// Does an operation, with access to the host memory that it uses. @return The message, if the host has
/// changed that memory.
std::string run_watched(Operation& operation);

/// The running kernel among the kernels of other streams.
struct Concurrency {
    std::uint64_t number = 0;  ///< its operation's; 0 if it was launched without being enqueued
    std::uintptr_t stream = 0;
    std::vector<std::uint64_t> done{};  ///< the numbers of those that have run, and are not ordered with it
    std::size_t to_come = 0;            ///< how many will run that are not ordered with it
};
const Concurrency& concurrency();

/// Notes the kernel that runs next, and the operations that are not ordered with it.
void begin_kernel(const Operation& kernel, const Operations& others);
/// @return The message if the kernel has changed host memory that one of these copies reads.
std::string end_kernel();
/// While a grid runs, protects the memory that these copies use. @param is_reachable Whether the grid may use
/// it.
void guard_grid(bool (*is_reachable)(const void* address));
/// Forgets these copies. @return Whether there were any, whose memory the caller must make accessible.
bool release_grid();

/// Whether a copy that is not done, or that is not ordered with the running kernel, uses a range.
bool is_used_by_copies(const Use& range);

/// Called when an access has trapped. @return Whether it is allowed now, because no copy uses the address.
bool let_pass(const void* address, bool by_kernel);
/// @return Which copy uses an address, as text that follows the address; empty if none.
std::string copy_text(const void* address, bool by_kernel);

/// Whether a range is host memory that a device cannot read directly.
bool is_pageable(const void* pointer, std::size_t bytes);
/// A description of an address in pinned memory; empty for any other address.
std::string pinned_text(const void* address);
/// Called when a kernel gets an address. If it is of pinned memory, host and kernel share this from then on.
void note_shared(const void* address);
/// The pages of all pinned memory that kernels have got, from cudaMallocHost.
std::vector<platform::Range> mapped_pages();
/// The first byte after a range of pinned memory that the program may use: if the range is the end of an
/// allocation, the end of its last page.
const char* pinned_end(const Use& range);

}  // namespace sim
