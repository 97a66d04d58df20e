/// @file
/// @brief What the simulator can do beyond what the course needs: lanes that converge, blocks that wait for
/// their grid, kernels that launch kernels, errors that a program discards, and results of shuffles.
#pragma once

#include "kernel.h"
#include "runtime.h"
#include "threads.h"

namespace sim {

/// @brief The lanes that run together: those that call this function on the same line.
///
/// The thread waits until no thread of its block can continue otherwise. All threads that are then waiting on
/// this line have converged.
unsigned int converged_lanes(Site site);

void grid_barrier(Site site);  ///< Waits for all threads of a cooperative launch.
bool is_cooperative();         ///< Whether the running grid is of a cooperative launch.

/// Lets kernels launch kernels, which run when the grid that has launched them has ended.
bool let_kernels_launch();

/// Kernels and the host may use the same memory at the same time: they wait for each other's stores.
bool share_memory();

/// Says at the end if the host has copied what looks like memory that was never written.
bool tell_of_poison();

/// A call has returned an error that the program discards.
void discard_error(cudaError_t error, const char* call, Site site);

}  // namespace sim
