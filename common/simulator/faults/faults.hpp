/// @file
/// @brief Finds faults of kernels that cause neither a trap nor a wait: accesses to redzones that the CPU can
/// access, and calls of exit().
#pragma once

#include <cstddef>

#include "../grid/block.hpp"
#include "../memory/redzones.hpp"

namespace sim {

/// Stops the running thread if an address is in a redzone.
void require_not_in_redzone(Block& block, const void* address, bool or_shared);

/// Stops a thread that uses a redzone which the CPU can access. Redzones hold poison, so only addresses
/// with that value need a look-up.
inline void require_no_redzone(Block& block, const void* address, std::size_t bytes, bool or_shared = false) {
    if (!block.threads().in_kernel) return;
    const auto* const first = static_cast<const unsigned char*>(address);
    for (const unsigned char* const at : {first, first + bytes - 1})
        if (*at == kPoison) require_not_in_redzone(block, at, or_shared);
}

/// Called when the program exits. If a kernel has called `exit`, reports it, and ends with status 1.
void refuse_exit_of_kernel();

}  // namespace sim
