/// @file
/// @brief The runtime API of api/more: memory.
#include "memory.h"

#include "../../faults/errors.hpp"
#include "../../memory/device_memory.hpp"

// Where the linker puts the program's `__managed__` variables; null if it has none.
extern "C" char __start_sim_managed[] __attribute__((weak));
extern "C" char __stop_sim_managed[] __attribute__((weak));

namespace sim {

bool adopt_managed_variables() {
    char *const begin = __start_sim_managed, *const end = __stop_sim_managed;
    if (begin != end) adopt(begin, static_cast<std::size_t>(end - begin));
    return true;
}

void adopt_symbol(const void* symbol, std::size_t bytes) { adopt(symbol, bytes); }

bool is_device_memory(const void* pointer) { return place(pointer, 1) == Place::inside; }

}  // namespace sim
