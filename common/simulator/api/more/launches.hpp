/// @file
/// @brief Kernels that a program has converted to `void*`, with their arguments.
#pragma once

#include <functional>

#include "launches.h"

namespace sim {

/// A kernel with its arguments, which can be launched more than once.
using BoundKernel = std::function<void(const LaunchConfig& config, Site site)>;

/// @return A kernel with its arguments, which are copied; empty if `note_kernel` was not called for it.
BoundKernel bind_noted(const void* kernel, void** arguments);

}  // namespace sim
