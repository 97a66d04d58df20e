/// @file
/// @brief What the web platform needs from its host, the JavaScript that runs the program
/// (tools/workbench/host.mjs).
#pragma once

#include <cstddef>

namespace sim::platform {

constexpr int kBadAddress = 11, kAborted = 6, kDivided = 8;  ///< numbers of signals, as on Linux

extern "C" {
/// Ends the program, as a signal does.
[[noreturn, clang::import_module("sim"), clang::import_name("end_by_signal")]] void end_by_signal(int number);
/// Writes the symbol of the function or variable at an address to `name`: at most `most` bytes, without a 0
/// at the end.
/// @return How many bytes were written; 0 if there is no such symbol.
[[clang::import_module("sim"), clang::import_name("name_of")]] std::size_t name_of(const void* address,
                                                                                   char* name,
                                                                                   std::size_t most);
}

/// Handles an instruction that WebAssembly has refused to execute: stops the kernel that contains it, or ends
/// the program if it is host code.
/// @param[in] number The number of the signal that Linux would raise.
void trap(int number);

/// Ends the program if it has used up its time.
void require_time();

}  // namespace sim::platform
