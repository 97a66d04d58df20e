/// @file
/// @brief What programs use of the header of this name in NVIDIA's samples: timers in milliseconds.
#pragma once

#include <chrono>

struct StopWatchInterface {
    std::chrono::steady_clock::time_point started{};
    double total = 0, laps = 0;
};
inline bool sdkCreateTimer(StopWatchInterface** timer) { return *timer = new StopWatchInterface, true; }
inline bool sdkDeleteTimer(StopWatchInterface** timer) { return delete *timer, *timer = nullptr, true; }
inline bool sdkStartTimer(StopWatchInterface** timer) {
    return (*timer)->started = std::chrono::steady_clock::now(), true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
    const auto time = std::chrono::steady_clock::now() - (*timer)->started;
    (*timer)->total += std::chrono::duration<double, std::milli>(time).count();
    ++(*timer)->laps;
    return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
    **timer = {std::chrono::steady_clock::now(), 0, 0};
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) { return static_cast<float>((*timer)->total); }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
    return (*timer)->laps > 0 ? static_cast<float>((*timer)->total / (*timer)->laps) : 0;
}
