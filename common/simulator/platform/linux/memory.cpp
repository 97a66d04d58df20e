/// @file
/// @brief Linux: memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <new>

#include "../platform.hpp"

// The bounds of the program's variables and, among them, of the `__managed__` ones, which are null if there
// are none.
extern "C" char __data_start[], _end[];
extern "C" char __start_sim_managed[] __attribute__((weak));
extern "C" char __stop_sim_managed[] __attribute__((weak));

namespace sim::platform {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t memory_bytes() {
    static const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    return pages * page_bytes();
}

std::size_t free_memory_bytes() {
    std::ifstream file("/proc/meminfo");
    std::size_t kibibytes = 0;
    for (std::string name; file >> name; file.ignore(1000, '\n'))
        if (name == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    return memory_bytes();
}

bool has_memory(const void* address) {
    unsigned char is_resident = 0;
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / page_bytes() * page_bytes();
    return mincore(reinterpret_cast<void*>(page), 1, &is_resident) == 0;
}

bool protect(char* pages, std::size_t bytes, Access access) {
    const int protection = access == Access::none   ? PROT_NONE
                           : access == Access::read ? PROT_READ
                                                    : PROT_READ | PROT_WRITE;
    return bytes == 0 || mprotect(pages, bytes, protection) == 0;  // QEMU's mprotect fails for 0 bytes
}

void discard(char* pages, std::size_t bytes) { madvise(pages, bytes, MADV_DONTNEED); }

Pages::Pages(std::size_t bytes)
    : data_(static_cast<char*>(
          mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
      bytes_(bytes) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
}
Pages::~Pages() { munmap(data_, bytes_); }

Range variables() { return {__data_start, _end}; }

/// The linker puts `after_managed` after a program's managed variables, into the same section. Its alignment,
/// which is at least a page, gives the managed variables pages of their own.
constexpr std::size_t kMostPageBytes = 64 * 1024;
[[gnu::section("sim_managed"), gnu::used]] alignas(kMostPageBytes) static char after_managed[kMostPageBytes];

Range managed_variables() { return {__start_sim_managed, after_managed}; }
Range managed_pages() {
    // Volatile, because a compiler may assume that two variables are never adjacent.
    const char* volatile stop = __stop_sim_managed;
    const bool is_last = stop == after_managed + sizeof(after_managed);
    return is_last ? managed_variables() : Range{nullptr, nullptr};
}

}  // namespace sim::platform
