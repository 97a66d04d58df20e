/// @file
/// @brief Signals of the operating system: a kernel's faults, and the CPU's own use of device memory.
#pragma once

#include <signal.h>

namespace sim {

constexpr int kTick = SIGVTALRM;  ///< of a worker's timer

/// @brief Handles the signals of bad accesses, until `release_signals`. A later call only replaces
///        handlers that the program has set in the meantime.
void catch_signals();
void release_signals();

}  // namespace sim
