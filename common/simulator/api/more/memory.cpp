/// @file
/// @brief The runtime API of api/more: memory.
#include "memory.h"

#include "../../faults/errors.hpp"
#include "../../memory/device_memory.hpp"
#include "../../platform/platform.hpp"
#include "../../streams/hazards.hpp"

namespace sim {

bool adopt_managed_variables() {
    const auto [begin, end] = platform::managed_variables();
    if (begin != end) adopt(begin, static_cast<std::size_t>(end - begin));
    return true;
}

void adopt_symbol(const void* symbol, std::size_t bytes) { adopt(symbol, bytes); }

}  // namespace sim

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    void* const address = const_cast<void*>(pointer);
    const int device = sim::device_of(address);
    if (sim::is_managed(address))
        *attributes = {cudaMemoryTypeManaged, device, address, address};
    else if (sim::place(address, 1) == sim::Place::inside)
        *attributes = {cudaMemoryTypeDevice, device, address, nullptr};
    else if (!sim::pinned_text(address).empty())
        *attributes = {cudaMemoryTypeHost, device, address, address};
    else
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
    return cudaSuccess;
}
