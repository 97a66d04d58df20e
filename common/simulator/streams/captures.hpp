/// @file
/// @brief Captured streams, whose work is recorded instead of enqueued.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace sim {

/// The kinds of recorded work.
enum class Kept : int { kernel, copy, set, host };
/// The captured work, in order.
using Captured = std::vector<std::pair<Kept, std::function<void()>>>;
/// Starts to record the work in streams. @return False if work was being recorded already.
bool begin_capture();
Captured end_capture();  ///< Ends the recording. @return The recorded work.
bool are_captured();     ///< Whether work in streams is recorded.
/// Records a call of a host function if streams are being captured. @return Whether they are.
bool capture_host(const std::function<void()>& function);

}  // namespace sim
