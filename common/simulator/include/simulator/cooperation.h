/// @file
/// @brief What the simulator can do beyond what the course needs: lanes that converge, blocks that wait for
/// their grid, kernels that launch kernels, and streams whose work is kept.
#pragma once

#include <functional>
#include <utility>
#include <vector>

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

/// Work that is kept instead of enqueued.
enum class Kept : int { kernel, copy, set, host };
/// The captured work, in order.
using Captured = std::vector<std::pair<Kept, std::function<void()>>>;
/// From now on, work in streams is kept. @return Whether it was not before.
bool begin_capture();
Captured end_capture();  ///< What has been kept.
bool are_captured();     ///< Whether work in streams is kept.
/// Keeps a call of the host, if streams are being captured.
bool capture_host(const std::function<void()>& function);

}  // namespace sim
