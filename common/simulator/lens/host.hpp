/// @file
/// @brief Counts what the host's threads do. It is counted only if LENS_HOST is set, for code without
/// kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "site.hpp"

namespace lens {

/// Of all threads of the host's instrumented code.
struct HostCounts {
    std::uint64_t busiest_thread = 0;  ///< the most accesses that one of them has made
    std::uint64_t atomics = 0;         ///< atomic operations
    std::uint64_t at_once = 0;         ///< the most that have existed at a time, besides the first
    std::uint64_t repeats = 0;         ///< stores to an address of the same thread's last three stores
};

/// Whether LENS_HOST was set when the program began.
bool counts_host();
/// The calling thread accesses memory.
void host_access(const void* address, Kind kind);
/// What is counted from now on is another thread's, one of so many besides the program's first one.
void host_thread_changes(std::size_t threads);
/// The counts of the threads that have ended, and of the calling one.
HostCounts host_counts();

}  // namespace lens
