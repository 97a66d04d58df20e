/// @file
/// @brief Web: a table of pages says whether an access is allowed, since WebAssembly can't protect pages.
/// Instrumented code asks before each access, so the common case is inline.
#pragma once

#include <cstddef>
#include <cstdint>

/// The text that names the line of the call or access that instrumented code has reached (source_lines.cpp).
extern "C" const char* sim_site;

namespace sim::platform {

constexpr std::size_t kPageBytes = 256;
constexpr std::size_t kAddresses = std::size_t{1} << 31;

/// The accesses that are allowed on a page: all, unless `Pages` or `protect` forbid some. A page with
/// `nothing_yet` is also inaccessible, and is zeroed when it is made accessible.
enum Allowed : std::uint8_t { all, read, nothing, nothing_yet };
extern Allowed allowed[kAddresses / kPageBytes];

inline Allowed* entry_of(const volatile void* address) {
    return &allowed[reinterpret_cast<std::uintptr_t>(address) % kAddresses / kPageBytes];
}

/// Records the site that instrumented code has reached, unless it has no line.
inline void note_site(const void* site) {
    if (const char* const text = static_cast<const char*>(site); *text != 0) sim_site = text;
}

/// Traps unless the access is allowed on each page that it touches.
void require_each_page(const volatile char* begin, std::size_t bytes, bool is_store);

inline void require_access(const volatile void* address, std::size_t bytes, bool is_store, const void* site) {
    note_site(site);
    const auto* const begin = static_cast<const volatile char*>(address);
    const Allowed most = is_store ? all : read;
    if (bytes > kPageBytes || *entry_of(begin) > most || *entry_of(begin + bytes - 1) > most)
        require_each_page(begin, bytes, is_store);
}

}  // namespace sim::platform
