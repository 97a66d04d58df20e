/// @file
/// @brief Checks of the memory in which allocations and shared variables lie: its guards and redzones.
#pragma once

#include <cstddef>
#include <cstring>

#include "../../../checks/catch.hpp"
#include "../../memory/redzones.hpp"
#include "../../platform/platform.hpp"

namespace redzone_checks {

using sim::Redzoned;

/// Whether memory has the least space around its bytes: none between guards, otherwise 256 bytes.
bool has_little_room(std::size_t bytes, std::size_t guard_bytes) {
    const std::size_t least = guard_bytes == 0 ? 256 : 0;
    const Redzoned memory(bytes, 1, guard_bytes);
    const auto [first, last] = memory.pages();
    const auto before = static_cast<std::size_t>(memory.begin() - first);
    return last - memory.begin() == static_cast<std::ptrdiff_t>(bytes + least) && before >= least &&
           before < least + sim::platform::page_bytes() && memory.has_around(first - guard_bytes) &&
           memory.has_around(last + guard_bytes - 1) && !memory.has_around(last + guard_bytes);
}

TEST_CASE("memory between guards ends with a page, and memory without them has 256 bytes on both sides") {
    const std::size_t page = sim::platform::page_bytes();
    for (std::size_t bytes = page - 520; bytes < page + 8; ++bytes)
        for (const std::size_t guard_bytes : {std::size_t{0}, page})
            if (!has_little_room(bytes, guard_bytes)) FAIL(bytes << " bytes, guards of " << guard_bytes);
}

TEST_CASE("a changed byte of a redzone is found until it is mended") {
    if (sim::kAddressSanitizer) return skip_check("AddressSanitizer finds the access itself");
    const std::size_t page = sim::platform::page_bytes();
    const Redzoned memory(11, 4, page);  // between redzones of page - 12 bytes and of 1 byte
    char* const begin = memory.begin();
    char* const first = memory.pages().begin;
    std::memset(begin, 5, 11);
    CHECK(memory.damage() == nullptr);
    const auto finds = [&](char* at, std::size_t bytes) {
        std::memset(at, 7, bytes);
        const bool found = memory.damage() == at;
        memory.mend();
        return found && memory.damage() == nullptr;
    };
    CHECK(finds(first, 1));
    CHECK(finds(first, page - 12));
    CHECK(finds(first + 100, 1));
    CHECK(finds(begin - 1, 1));
    CHECK(finds(begin + 11, 1));
    for (int i = 0; i < 11; ++i) CHECK(begin[i] == 5);
    const Redzoned whole(page, 1, page);  // without redzones
    CHECK(whole.damage() == nullptr);
}

}  // namespace redzone_checks
