/// @file
/// @brief Kernels that a program has passed on as `void*`, with their arguments.
#pragma once

#include <functional>

#include "launches.h"

namespace sim {

/// A kernel with its arguments, which can be launched more than once.
using BoundKernel = std::function<void(const LaunchConfig& config, Site site)>;

/// @return Nothing if the kernel has not been noted.
BoundKernel bind_noted(const void* kernel, void** arguments);

}  // namespace sim
