/// @file
/// @brief The runtime API of compat/: memory.
#include "memory.h"

#include <new>

#include "../device_memory.hpp"
#include "../errors.hpp"

namespace sim {

cudaError_t allocate_managed(void** pointer, std::size_t bytes) {
    if (pointer == nullptr || bytes == 0) return answer(cudaErrorInvalidValue);
    if (sticky_error() != cudaSuccess) return finish(cudaSuccess);
    if (bytes > device_memory_bytes()) return finish(cudaErrorMemoryAllocation);
    try {
        *pointer = allocate(bytes, true);
    } catch (const std::bad_alloc&) {
        return finish(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

void adopt_symbol(const void* symbol, std::size_t bytes) { adopt(symbol, bytes); }

bool is_device_memory(const void* pointer) { return place(pointer, 1) == Place::inside; }

}  // namespace sim
