/// @file
/// @brief Notices that a kernel makes no progress.
#pragma once

namespace sim {

constexpr unsigned int kTicks = 10;  ///< per timeout

}  // namespace sim
