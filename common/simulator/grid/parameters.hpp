/// @file
/// @brief How messages name memory: by the kernel's parameter that points to it.
#pragma once

#include <string>

#include "grid.hpp"

namespace sim {

/// @return The parameter of a grid's kernel that points to an address or before it in the same allocation, or
/// near it. Empty if there is none, or if its name is not known.
std::string parameter_text(const Grid& grid, const void* address);
/// @return Which of its elements is at the address, as in `d_bins[96]`; empty in the same cases.
std::string element_text(const Grid& grid, const void* address);
/// @return The element, and the allocation; empty for an address away from all allocations.
std::string memory_text(const Grid& grid, const void* address);

}  // namespace sim
