/// @file
/// @brief What only programs other than the course's need: converged lanes, barriers for the whole grid,
/// kernels that launch kernels, memory that kernels and the host share, and reports of uninitialized memory
/// and discarded errors.
#pragma once

#include "kernel.h"
#include "runtime.h"
#include "threads.h"

namespace sim {

/// @brief Waits until no thread of the block can run any more.
/// @return The converged lanes of the warp, as a mask: those that wait in this function on the same line.
unsigned int converged_lanes(Site site);

void grid_barrier(Site site);  ///< Waits for all threads of a cooperative launch.
bool is_cooperative();         ///< Whether the running grid was launched cooperatively.

/// Lets kernels launch kernels, which run when the launching grid has ended. This function and the next two
/// return true, so that the initializer of a variable can call them.
bool let_kernels_launch();

/// Called for a program whose kernels and host use the same memory at the same time on purpose, for example
/// to wait for each other's stores: a missing wait of the host for such memory is no longer reported.
bool share_memory();

/// Enables a message at the program's end, which is printed if a copy to the host contained what looks like
/// uninitialized memory.
bool tell_of_poison();

/// Called after a CUDA call whose result the program discards, with this result and the call's name and line.
/// `cudaSuccess` is ignored.
void discard_error(cudaError_t error, const char* call, Site site);

}  // namespace sim
