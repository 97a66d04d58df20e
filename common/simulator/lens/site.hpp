/// @file
/// @brief Where a kernel accesses memory: an instruction, and the calls through which it was reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lens {

enum class Space : std::uint8_t { global, shared };
enum class Kind : std::uint8_t { load, store, atomic };

/// The number of a chain of calls. 0 is the kernel itself.
using Path = std::uint32_t;

struct Site {
    std::uintptr_t at;  ///< the instruction
    Path path;
    Space space;
    Kind kind;
    std::uint8_t bytes;
    bool operator==(const Site&) const = default;
};

/// @name Sites and paths have numbers, the same for all OS threads. Sites begin with 1.
/// @{
std::uint32_t number_of(const Site& site);
Path call(Path from, std::uintptr_t at);  ///< the path of a call in `from`
Path caller(Path path);
Site site(std::uint32_t number);
/// @}

/// @return FILE:LINE of a site: that of the innermost call in a `.cu` or `.cuh` file.
std::string line_of(std::uint32_t number);

/// @return Whether the code of `a` comes before that of `b`, call by call from the outermost one.
bool is_before(std::uint32_t a, std::uint32_t b);

}  // namespace lens
