/// @file
/// @brief Memory with inaccessible pages at its ends: for stacks, shared memory and device memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace sim {

/// Makes whole pages accessible or inaccessible, so that an access is a SIGSEGV. @throws std::bad_alloc.
inline void set_accessible(char* pages, std::size_t bytes, bool accessible) {
    if (mprotect(pages, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) throw std::bad_alloc();
}

/// Memory from the operating system, inaccessible at first, and zero until it is written to.
class Pages {
 public:
    explicit Pages(std::size_t bytes)
        : data_(static_cast<char*>(
              mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
          bytes_(bytes) {
        if (data_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~Pages() { munmap(data_, bytes_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    char* data() const { return data_; }

    /// Makes whole pages accessible.
    void allow(std::size_t offset, std::size_t bytes) { set_accessible(data_ + offset, bytes, true); }

 private:
    char* const data_;
    const std::size_t bytes_;
};

/// A whole number of pages, whatever their size on this machine.
constexpr std::size_t kGuardBytes = 64 * 1024;

/// Uninitialized device and shared memory is filled with this byte, a value that no program expects.
constexpr int kPoison = 0xA5;

}  // namespace sim
