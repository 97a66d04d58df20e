/// @file
/// @brief What the web's platform asks of its host, the JavaScript that runs the program
/// (tools/workbench/host.mjs).
#pragma once

#include <cstddef>

namespace sim::platform {

constexpr int kBadAddress = 11, kAborted = 6, kDivided = 8;  ///< numbers of signals, as on Linux

extern "C" {
/// Ends the program, as a signal does.
[[noreturn, clang::import_module("sim"), clang::import_name("end_by_signal")]] void end_by_signal(int number);
/// Writes the name of what is at an address, as the linker knows it, and its length. @return Whether it has
/// one.
[[clang::import_module("sim"), clang::import_name("name_of")]] std::size_t name_of(const void* address,
                                                                                   char* name,
                                                                                   std::size_t most);
}

/// An instruction was refused. Does not return if a kernel did not execute it.
/// @param[in] number Of the signal that it would be on Linux.
void trap(int number);

/// Ends the program if it has used up its time.
void require_time();

}  // namespace sim::platform
