/// @file
/// @brief The messages about a kernel that breaks CUDA's rules.
#pragma once

#include <cstdint>
#include <string>

#include "../platform/platform.hpp"
#include "cuda_runtime.h"
#include "simulator/fault.h"

namespace sim {

class Block;
struct UndefinedLane;

/// A fault, and the error that CUDA calls return because of it.
struct Report {
    cudaError_t error = cudaSuccess;
    Fault fault{};
};

/// @return A kernel's name, and where it is launched.
std::string launch_text(const Kernel& kernel);

/// Names the kernel in a fault, and puts the kernel and its launch before the message.
Fault of_kernel(const Kernel& kernel, Fault fault);

/// @return A kernel's name without namespaces and template arguments.
std::string plain_name(const Kernel& kernel);

/// @return A line, in the form FILE:LINE.
std::string text(const Site& site);

constexpr const char* kMisaligned = "an address that is misaligned for its type";

/// @name Reports about the block that this OS thread runs
/// @{
Report divergent_barrier(const Block& block);
Report skipped_barrier(const Block& block);
Report deadlock(const Block& block);
Report too_much_shared(const Block& block);
Report damaged_shared(const std::string& damage);  ///< @param damage From `SharedMemory::damage`.
/// @}

/// @name Reports about the block's running thread
/// @{
Report thrown_exception(const Block& block, const std::string& what);
Report launch_by_kernel(const Block& block, Kernel kernel);
Report wait_for_ordinary_grid(const Block& block);
Report failed_assertion(const Block& block, const char* what, Site site);
Report wrong_mask(const Block& block, const char* function, Site site);
Report ended_block(const Block& block, uint3 ended, Site site);  ///< The thread waits for block `ended`.
Report no_progress(const Block& block);
Report call_of_exit(const Block& block);
Report bad_index(const Block& block, std::uint64_t index, const char* array);
Report missing_return(const Block& block, Site function);
Report bad_address(const Block& block, const void* address);
Report misaligned_address(const Block& block, const void* address);
Report trapped(const Block& block, platform::Trap trap, const void* address);
/// @}

/// @return What is wrong with a reduction or broadcast by a warp of the block that this OS thread runs.
std::string undefined_result(const Block& block, const UndefinedLane& undefined);

}  // namespace sim
