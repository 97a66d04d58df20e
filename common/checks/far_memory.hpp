/// @file
/// @brief More elements than fit in memory, in address space that needs no memory until it is written, for
/// the few blocks that run.
#pragma once

#ifndef __wasm__
#include <sys/mman.h>
#include <sys/resource.h>
#endif

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "setting.hpp"

namespace check_detail {

/// During its lifetime, the simulator runs only two blocks at each end of a grid.
struct EndsOnly : Setting {
    EndsOnly() : Setting("CUDA_SIM_ENDS", 2) {}
};

#ifdef __wasm__

/// WebAssembly has 32-bit addresses: nothing is far.
constexpr bool kHasFarMemory = false;
template <typename T>
std::unique_ptr<T[]> zeros_without_room(std::size_t) {
    throw std::runtime_error("no address space");
}
inline void make_unreadable(void*, std::size_t) {}
inline void make_readable(void*, std::size_t) {}
inline void forbid_mebibyte(void*, std::size_t) {}
struct AddressSpaceLimit {
    explicit AddressSpaceLimit(std::size_t) {}
};

#else

constexpr bool kHasFarMemory = true;

/// `n` zeros, which need no memory until they are written.
template <typename T>
auto zeros_without_room(std::size_t n) {
    const auto unmap = [bytes = n * sizeof(T)](T* data) { munmap(data, bytes); };
    void* const data = mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        throw std::runtime_error("no address space for " + std::to_string(n) + " elements");
    return std::unique_ptr<T[], decltype(unmap)>(static_cast<T*>(data), unmap);
}

/// Makes each access a fault. @param[in] data The start of a page, as `zeros_without_room` returns.
inline void make_unreadable(void* data, std::size_t bytes) { mprotect(data, bytes, PROT_NONE); }

/// Undoes `make_unreadable`, for reading only, with few page faults.
inline void make_readable(void* data, std::size_t bytes) {
    madvise(data, bytes, MADV_HUGEPAGE);  // otherwise each load is a page fault
    mprotect(data, bytes, PROT_READ);
}

/// @brief Makes a mebibyte unreadable, between the elements of the blocks that run.
///
/// Without it, a loop whose stride has lost its highest bits would run for hours.
/// @param[in] offset From the beginning of the data, in bytes; rounded up to the next mebibyte.
inline void forbid_mebibyte(void* data, std::size_t offset) {
    constexpr std::size_t kMebibyte = std::size_t{1} << 20;
    make_unreadable(static_cast<char*>(data) + (offset / kMebibyte + 1) * kMebibyte, kMebibyte);
}

/// During its lifetime, the program's address space is limited to this many bytes.
class AddressSpaceLimit {
 public:
    explicit AddressSpaceLimit(std::size_t bytes) {
        getrlimit(RLIMIT_AS, &before_);
        const rlimit limit{std::min<rlim_t>(before_.rlim_max, bytes), before_.rlim_max};
        setrlimit(RLIMIT_AS, &limit);
    }
    ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }
    AddressSpaceLimit(const AddressSpaceLimit&) = delete;
    AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
    rlimit before_{};
};

#endif

}  // namespace check_detail
