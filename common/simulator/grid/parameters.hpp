/// @file
/// @brief How messages name memory: by the kernel's parameter that points to it.
#pragma once

#include <cstddef>
#include <string>

#include "grid.hpp"

namespace sim {

/// @return Whether an address is so small that it was probably computed from a null pointer and an index.
bool is_near_null(const void* address);

/// @return The name of a kernel's parameter, counted from 0; empty if it is not known.
/// @param[in] arguments How many arguments the launch has. Kernels of the same name with fewer parameters are
/// ignored.
std::string parameter_name(const Kernel& kernel, std::size_t arguments, std::size_t parameter);

/// @return The name of the parameter of a grid's kernel that points to an address or, in the same allocation,
/// to the nearest one before it or, if there is none, to the nearest one after it. For an address near 0, the
/// name of the only parameter that is null. Empty if there is no such parameter, or if its name is not known.
std::string parameter_text(const Grid& grid, const void* address);
/// @return The element at an address, named by the parameter of `parameter_text`, as in `d_bins[96]`; empty
/// if there is no such parameter.
std::string element_text(const Grid& grid, const void* address);
/// @return The element and the allocation at an address; empty for an address away from all allocations.
std::string memory_text(const Grid& grid, const void* address);

}  // namespace sim
