/// @file
/// @brief Device memory: what is allocated, and who may use it when.
///
/// Kernels and CUDA calls may access device memory, but host code may not: outside of launches and copies,
/// all device memory except managed memory is inaccessible.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "cuda_runtime.h"

namespace sim {

/// How many bytes of device memory there are: as many as the host has.
std::size_t device_memory_bytes();

/// @param managed Whether the CPU may also use the memory.
/// @return Memory at a multiple of 256 bytes. @throws std::bad_alloc.
char* allocate(std::size_t bytes, bool managed = false);
/// Registers a device variable, so that copies can find it by its address.
void adopt(const void* variable, std::size_t bytes);
bool deallocate(char* pointer);  ///< @return false for what `allocate` has not returned
void deallocate_all();           ///< frees all memory of the current device

/// Where a range of at least one byte is: inside one allocation or registered variable, outside all of them
/// and their guards, or neither.
enum class Place { inside, outside, across };
Place place(const void* pointer, std::size_t bytes);

/// The device whose memory contains an address. For other addresses, the current device.
int device_of(const void* address);

/// Whether an address is in a redzone or guard of an allocation. An access to a redzone does not trap.
bool is_in_redzone(const void* address);

/// @return A description of an address in or near an allocation, even a freed one; empty for any other one.
std::string allocation_text(const void* address);

/// Whether two addresses are inside or near the same allocation.
bool are_in_one_allocation(const void* one, const void* other);

/// Whether the CPU may also use the device memory at an address.
bool is_managed(const void* address);

/// @return A description of the `__managed__` variable that contains an address. There must be one.
std::string managed_variable_text(const void* address);

/// During its lifetime, a grid may use the memory of the current device.
class GridAccess {
 public:
    explicit GridAccess(const Kernel& kernel);
    ~GridAccess();
    GridAccess(const GridAccess&) = delete;
    GridAccess& operator=(const GridAccess&) = delete;

    /// @return A byte just outside of an allocation to which the grid has written, or null if there is none.
    const void* damage() const;
};

/// During its lifetime, a copy may access a range of device memory, and no grid starts or ends. The range may
/// also be host memory, which is accessible anyway.
class CopyAccess {
 public:
    CopyAccess(const void* pointer, std::size_t bytes);
    ~CopyAccess();
    CopyAccess(const CopyAccess&) = delete;
    CopyAccess& operator=(const CopyAccess&) = delete;

 private:
    const std::lock_guard<std::recursive_mutex> lock_;
    char* pages_ = nullptr;  ///< the pages made accessible, or null
    std::size_t bytes_ = 0;
};

}  // namespace sim
