/// @file
/// @brief Finds faults of kernels that neither trap nor make a thread wait: accesses to redzones that the CPU
/// allows, and calls of exit().
#pragma once

#include <cstddef>

#include "../grid/block.hpp"
#include "../memory/redzones.hpp"

namespace sim {

/// Stops the running thread if an address is in a redzone of device memory or, if `or_shared`, of shared
/// memory.
void require_not_in_redzone(Block& block, const void* address, bool or_shared);

/// Stops the running thread if the first or last byte of its access is in a redzone. Redzones contain poison,
/// so only a byte with this value needs a look-up.
inline void require_no_redzone(Block& block, const void* address, std::size_t bytes, bool or_shared = false) {
    if (!block.threads().in_kernel) return;
    const auto* const first = static_cast<const unsigned char*>(address);
    for (const unsigned char* const at : {first, first + bytes - 1})
        if (*at == kPoison) require_not_in_redzone(block, at, or_shared);
}

/// Called when the program exits. If a kernel has called `exit`, reports it, and ends with status 1.
void refuse_exit_of_kernel();

}  // namespace sim
