/// @file
/// @brief Which line of a `.cu` or `.cuh` file has called the simulator, or was interrupted by a signal.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sim {

/// @return FILE:LINE of the instruction at an address, and of each call into which it was inlined, innermost
/// first. Only lines of translated files outside of the helpers' folders (SIMULATOR_HELPERS in
/// CMakeLists.txt) are included.
std::vector<std::string> lines_of(std::uintptr_t at);
/// @return The first line that `lines_of` returns; empty if there is none.
std::string line_of(std::uintptr_t at);

/// @return The C++ name of a variable, or of a function with its parameters; empty if the program has no
/// symbols.
std::string function_of(const void* address);

/// The calls in progress when the object is created, innermost first. Creating one is cheap: lines are looked
/// up only when needed.
class Calls {
 public:
    Calls();

    /// @return FILE:LINE of the innermost call in a translated file outside the helpers' folders; empty if
    ///         there is none, or if the program has no line numbers.
    std::string line() const;

 private:
    std::array<std::uintptr_t, 24> at_{};  ///< addresses of instructions, then zeros
};

}  // namespace sim
