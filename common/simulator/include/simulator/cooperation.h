/// @file
/// @brief What the simulator can do beyond what the course needs: converged lanes, barriers for the whole
/// grid, kernels that launch kernels, memory that kernels and the host share, and reports of uninitialized
/// memory and discarded errors.
#pragma once

#include "kernel.h"
#include "runtime.h"
#include "threads.h"

namespace sim {

/// @brief Returns the converged lanes of the warp: those that call this function on the same line.
///
/// The thread waits until no other thread of its block can run. The lanes of its warp that wait on this line
/// by then have converged.
unsigned int converged_lanes(Site site);

void grid_barrier(Site site);  ///< Waits for all threads of a cooperative launch.
bool is_cooperative();         ///< Whether the running grid was launched cooperatively.

/// Lets kernels launch kernels, which run when the launching grid has ended. Like the next two functions, it
/// returns true, so that a variable's initializer can call it.
bool let_kernels_launch();

/// Lets kernels and the host use the same memory at the same time, because they wait for each other's stores:
/// missing waits for such memory are no longer reported.
bool share_memory();

/// Enables a message at the program's end if a copy to the host contained what looks like uninitialized
/// memory.
bool tell_of_poison();

/// Called with the result of each call whose result the program discards; `cudaSuccess` is ignored.
void discard_error(cudaError_t error, const char* call, Site site);

}  // namespace sim
