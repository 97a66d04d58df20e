/// @file
/// @brief Linux: the signal of an OS thread's timer.
#pragma once

#include <signal.h>

namespace sim::platform {

constexpr int kTick = SIGVTALRM;

}  // namespace sim::platform
