/// @file
/// @brief The runtime API of api/more: memory.
#include "memory.h"

#include "../../faults/errors.hpp"
#include "../../memory/device_memory.hpp"
#include "../../platform/platform.hpp"

namespace sim {

bool adopt_managed_variables() {
    const auto [begin, end] = platform::managed_variables();
    if (begin != end) adopt(begin, static_cast<std::size_t>(end - begin));
    return true;
}

void adopt_symbol(const void* symbol, std::size_t bytes) { adopt(symbol, bytes); }

bool is_device_memory(const void* pointer) { return place(pointer, 1) == Place::inside; }

}  // namespace sim
