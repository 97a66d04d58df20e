/// @file
/// @brief The simulated device: its limits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_runtime.h"

namespace sim {

/// @name The limits of compute capability 9.0
/// @{
constexpr unsigned int kMaxThreadsPerMultiprocessor = 2048;
constexpr unsigned int kMaxBlocksPerMultiprocessor = 32;
constexpr int kMaxBlock[3] = {1024, 1024, 64}, kMaxGrid[3] = {0x7fffffff, 65535, 65535};
constexpr std::size_t kStaticSharedBytes = 48 * 1024;
constexpr std::size_t kSharedBytesPerBlock = 227 * 1024;
constexpr std::size_t kSharedBytesPerMultiprocessor = 228 * 1024;
constexpr std::size_t kReservedSharedBytes = 1024;
constexpr int kL2Bytes = 50 * 1024 * 1024;  // the size of an H100's or H200's
/// @}

/// How deeply the launches on this OS thread are nested in the launches of graphs and of kernels by kernels;
/// 0 if host code launches each kernel by itself.
inline thread_local int launching_together = 0;

/// The value of CUDA_SIM_SEED, which orders threads, blocks and streams; 0 if it is not set.
std::uint64_t seed();

/// The bytes of shared memory that a block of a kernel may use: of dynamic shared memory, and in all. Both
/// are 48 KiB, unless `cudaFuncSetAttribute` has set the first; then the second is 227 KiB. A kernel whose
/// address is not known (null) may use 227 KiB.
struct SharedLimit {
    std::size_t dynamic_bytes, all_bytes;
};
SharedLimit shared_limit(const void* kernel);

}  // namespace sim
