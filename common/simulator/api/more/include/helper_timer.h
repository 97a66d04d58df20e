/// @file
/// @brief The parts of helper_timer.h, from NVIDIA's samples, that programs use: timers in milliseconds.
#pragma once

#include <time.h>

struct StopWatchInterface {
    double started = 0, total = 0, laps = 0;
};
inline double sim_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}
inline bool sdkCreateTimer(StopWatchInterface** timer) { return *timer = new StopWatchInterface, true; }
inline bool sdkDeleteTimer(StopWatchInterface** timer) { return delete *timer, *timer = nullptr, true; }
inline bool sdkStartTimer(StopWatchInterface** timer) { return (*timer)->started = sim_milliseconds(), true; }
inline bool sdkStopTimer(StopWatchInterface** timer) {
    (*timer)->total += sim_milliseconds() - (*timer)->started;
    ++(*timer)->laps;
    return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
    **timer = {sim_milliseconds(), 0, 0};
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) { return static_cast<float>((*timer)->total); }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
    return (*timer)->laps > 0 ? static_cast<float>((*timer)->total / (*timer)->laps) : 0;
}
