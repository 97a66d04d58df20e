/// @file
/// @brief Counts what the host's threads do, for programs without kernels; only if LENS_HOST is set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "site.hpp"

namespace lens {

/// The counts of all host threads, in instrumented code.
struct HostCounts {
    std::uint64_t busiest_thread = 0;  ///< the most accesses that one thread has made
    std::uint64_t atomics = 0;         ///< atomic operations
    std::uint64_t at_once = 0;         ///< the most threads, besides the first, that were at work at once
    /// At how many addresses the thread with the most has stored often, and nearly always at other addresses
    /// in its last three stores.
    std::uint64_t in_turn = 0;
};

/// Whether LENS_HOST was set when the program began.
bool counts_host();
/// The calling thread accesses memory.
void host_access(const void* address, Kind kind);
/// From now on, accesses are those of another thread, which has the same `thread_local` variables.
/// @param[in] threads How many exist besides the program's first one.
void host_thread_changes(std::size_t threads);
/// @return The counts of the threads that have ended, and of the calling thread.
HostCounts host_counts();

}  // namespace lens
