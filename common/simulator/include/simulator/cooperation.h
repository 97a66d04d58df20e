/// @file
/// @brief What the simulator can do beyond what the course needs: lanes that converge, blocks that wait for
/// their grid, and kernels that launch kernels.
#pragma once

#include "kernel.h"

namespace sim {

/// @brief The lanes that run together: those that call this function on the same line.
///
/// The thread waits until no thread of its block can go on otherwise. What is then on this line has
/// converged.
unsigned int converged_lanes(Site site);

void grid_barrier(Site site);  ///< Waits for all threads of a cooperative launch.
bool is_cooperative();         ///< Whether the running grid was launched as one.

/// Lets kernels launch kernels, which run when the grid that has launched them has ended.
bool let_kernels_launch();

}  // namespace sim
