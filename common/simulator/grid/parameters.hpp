/// @file
/// @brief How messages name memory: by the kernel's parameter that points to it.
#pragma once

#include <cstddef>
#include <string>

#include "grid.hpp"

namespace sim {

/// @return Whether an address is that of an element near the beginning of an array at null.
bool is_near_null(const void* address);

/// @return The name of a kernel's parameter, counted from 0; empty if it is not known.
/// @param[in] arguments The number of the kernel's parameters, which tells kernels with one name apart.
std::string parameter_name(const Kernel& kernel, std::size_t arguments, std::size_t parameter);

/// @return The parameter of a grid's kernel that points to an address or before it in the same allocation, or
/// near it; for an address near 0, the only one that is null. Empty if there is none, or if its name is not
/// known.
std::string parameter_text(const Grid& grid, const void* address);
/// @return Which of its elements is at the address, as in `d_bins[96]`; empty in the same cases.
std::string element_text(const Grid& grid, const void* address);
/// @return The element, and the allocation; empty for an address away from all allocations.
std::string memory_text(const Grid& grid, const void* address);

}  // namespace sim
