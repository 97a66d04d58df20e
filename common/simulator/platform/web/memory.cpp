/// @file
/// @brief Web: memory that is protected by a table of pages.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#include "../platform.hpp"
#include "access.hpp"
#include "host.hpp"

// The bounds of the `__managed__` variables, from the linker; null if there are none.
extern "C" char __start_sim_managed[] __attribute__((weak));
extern "C" char __stop_sim_managed[] __attribute__((weak));

namespace sim::platform {
namespace {

/// Forbids accesses to the first addresses, where a null pointer and its members point, and where the linker
/// puts nothing.
[[maybe_unused]] const bool kForbidsNull = [] {
    std::fill_n(allowed, 1024 / kPageBytes, nothing);
    return true;
}();

}  // namespace

Allowed allowed[kAddresses / kPageBytes]{};

std::size_t page_bytes() { return kPageBytes; }
std::size_t memory_bytes() { return std::size_t{1} << 30; }
std::size_t free_memory_bytes() {
    const std::size_t used = __builtin_wasm_memory_size(0) * 65536;
    return used < memory_bytes() ? memory_bytes() - used : 0;
}

bool has_memory(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) < __builtin_wasm_memory_size(0) * 65536;
}

bool protect(char* pages, std::size_t bytes, Access access) {
    for (char* page = pages; page < pages + bytes; page += kPageBytes) {
        Allowed& now = *entry_of(page);
        if (access == Access::none) {
            now = std::max(now, nothing);
            continue;
        }
        if (now == nothing_yet) std::memset(page, 0, kPageBytes);
        now = access == Access::read ? read : all;
    }
    return true;
}

void discard(char* pages, std::size_t bytes) {
    std::fill_n(entry_of(pages), bytes / kPageBytes, nothing_yet);
}

Pages::Pages(std::size_t bytes)
    : data_(static_cast<char*>(std::aligned_alloc(kPageBytes, bytes))), bytes_(bytes) {
    if (data_ == nullptr) throw std::bad_alloc();
    std::fill_n(entry_of(data_), bytes / kPageBytes, nothing_yet);
}
Pages::~Pages() {
    std::fill_n(entry_of(data_), bytes_ / kPageBytes, all);
    std::free(data_);
}

void require_each_page(const volatile char* begin, std::size_t bytes, bool is_store) {
    for (std::size_t at = 0; at < bytes; at = at == bytes - 1 ? bytes : std::min(at + kPageBytes, bytes - 1))
        while (*entry_of(begin + at) > (is_store ? all : read))  // a page may be opened for loads first
            if (handle_trap(Trap::address, const_cast<const char*>(begin + at)) != Handled::repeat_it)
                end_by_signal(kBadAddress);
}

/// The bounds of the program's variables, without the simulator's. The host stores them here.
extern "C" Range sim_variables{};
Range variables() { return sim_variables; }

[[gnu::section("sim_managed"), gnu::used]] alignas(kPageBytes) static char after_managed[kPageBytes];

Range managed_variables() { return {__start_sim_managed, after_managed}; }
Range managed_pages() { return managed_variables(); }

}  // namespace sim::platform
