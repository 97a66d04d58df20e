/// @file
/// @brief How much address space a platform gives: a browser's tab has at most a gibibyte.
#pragma once

#include <cstddef>

namespace sim {

#ifdef __wasm__
constexpr std::size_t kGuardBytes = 16 * 1024;
constexpr std::size_t kLocalBytes = 32 * 1024;
constexpr std::size_t kOwnStackBytes = 32 * 1024;
constexpr std::size_t kMostFreed = 16;
#else
/// What is inaccessible before and after memory: a whole number of pages, whatever their size on this
/// machine.
constexpr std::size_t kGuardBytes = 64 * 1024;
/// What a simulated thread may have of local variables: as in CUDA. Pages that none of them uses need no
/// memory.
constexpr std::size_t kLocalBytes = 512 * 1024;
/// What the simulator's own frames need on the stack of a simulated thread.
constexpr std::size_t kOwnStackBytes = 128 * 1024;
/// How many allocations keep their addresses when they are freed.
constexpr std::size_t kMostFreed = 256;
#endif

}  // namespace sim
