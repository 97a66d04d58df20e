/// @file
/// @brief Sizes that depend on how much address space a platform has: in a browser, at most 1 GiB.
#pragma once

#include <cstddef>

namespace sim {

#ifdef __wasm__
constexpr std::size_t kGuardBytes = 16 * 1024;
constexpr std::size_t kLocalBytes = 32 * 1024;
constexpr std::size_t kOwnStackBytes = 32 * 1024;
constexpr std::size_t kMostFreed = 16;
#else
/// How many inaccessible bytes guard a stack, and each end of a shared array: whole pages, whatever their
/// size on this machine.
constexpr std::size_t kGuardBytes = 64 * 1024;
/// How many bytes of local variables a simulated thread may have: 512 KiB, as in CUDA. Unused pages need no
/// memory.
constexpr std::size_t kLocalBytes = 512 * 1024;
/// How many bytes the simulator's own frames need on a simulated thread's stack.
constexpr std::size_t kOwnStackBytes = 128 * 1024;
/// How many freed allocations keep their addresses, so that later uses of them are found.
constexpr std::size_t kMostFreed = 256;
#endif

}  // namespace sim
