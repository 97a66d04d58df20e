/// @file
/// @brief Where a kernel accesses memory: an instruction, and the calls through which it was reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lens {

enum class Space : std::uint8_t { global, shared };
enum class Kind : std::uint8_t { load, store, atomic };
/// Names in the JSON output.
inline constexpr const char* kSpaces[] = {"global", "shared"};
inline constexpr const char* kKinds[] = {"load", "store", "atomic"};

/// The greatest number of a site in an `Epoch`. All later sites share this number there: their accesses are
/// also compared, but a report can't name their lines.
constexpr std::uint32_t kMostSite = (1u << 13) - 1;

/// The number of a chain of calls that leads from the kernel to a function. 0 is the kernel itself.
using Path = std::uint32_t;

struct Site {
    std::uintptr_t at;  ///< the instruction
    Path path;
    Space space;
    Kind kind;
    std::uint8_t bytes;  ///< 0: not an access, but the end of a loop's iteration
    bool of_block;       ///< atomic only for the threads of its block, as `atomicAdd_block` is
    bool operator==(const Site&) const = default;
};

/// @name Sites and paths have numbers, the same for all OS threads. Sites begin with 1.
/// @{
std::uint32_t number_of(const Site& site);
Path call(Path from, std::uintptr_t at);  ///< the path of a call at `at` in `from`
/// A path's last call: where it is, and the path before it.
struct Call {
    Path from = 0;
    std::uintptr_t at = 0;
    auto operator<=>(const Call&) const = default;  // NOLINT
};
Call last_call(Path path);
Site site(std::uint32_t number);
/// @}

/// @return Whether atomic accesses at two sites are atomic with respect to each other: both have the same
///         width, unless one is a volatile load or store; and if different blocks make them, neither has
///         block scope.
bool are_atomic_together(std::uint32_t a, std::uint32_t b, bool of_one_block);

/// @return FILE:LINE of a site in a `.cu` or `.cuh` file, then the lines of the calls that have led to it,
/// innermost first.
std::vector<std::string> lines_of(std::uint32_t number);
/// @return The first line of `lines_of`; empty if there is none.
std::string line_of(std::uint32_t number);
/// @return The other lines of `lines_of`, up to the kernel's launch. @param[in] launched_at FILE:LINE of the
/// launch.
std::vector<std::string> calls_of(std::uint32_t number, const std::string& launched_at);

/// @return Whether the code of `a` comes before that of `b`, call by call from the outermost one.
bool is_before(std::uint32_t a, std::uint32_t b);

}  // namespace lens
