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
/// How many bytes are inaccessible before and after memory: whole pages, whatever their size on this machine.
constexpr std::size_t kGuardBytes = 64 * 1024;
/// How many bytes of local variables a simulated thread may have: as in CUDA. Unused pages need no memory.
constexpr std::size_t kLocalBytes = 512 * 1024;
/// How many bytes the simulator's own frames need on a simulated thread's stack.
constexpr std::size_t kOwnStackBytes = 128 * 1024;
/// How many allocations keep their addresses when they are freed.
constexpr std::size_t kMostFreed = 256;
#endif

}  // namespace sim
