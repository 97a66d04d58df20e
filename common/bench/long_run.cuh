/// @file
/// @brief On the simulator: how long a run will take, said before it begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "../cuda/timer.cuh"
#include "measure.cuh"

/// How many elements a job is tried on.
constexpr std::size_t kTrial = std::size_t{1} << 20;

/// @return What grid gives each thread as many elements of a trial as `shape` gives it of `n`.
inline LaunchShape trial_shape(const LaunchShape& shape, std::size_t n) {
    const std::size_t grid = std::size_t{shape.grid} * kTrial / n;
    return {shape.grid == 0 ? 0 : static_cast<unsigned int>(std::max<std::size_t>(1, grid)), shape.block};
}

/// @return How many seconds the simulator needs for all jobs on `n` elements, by a trial of each on the first
///         `kTrial`; 0 if they are few. @throws What a job throws.
inline double simulated_seconds(const std::vector<Job>& jobs, std::size_t n) {
    constexpr double kUntried = 12e-9;  // per element: what most kernels take on two cores
    if (n < 8 * kTrial) return 0;
    double seconds = 0;
    for (const Job& job : jobs) {
        if (job.on_cpu) continue;
        EventTimer timer;
        timer.start();
        if (job.try_out) job.try_out();
        const double trial = timer.stop();
        seconds += (job.try_out ? trial / kTrial : kUntried) * static_cast<double>(n);
    }
    return seconds;
}

/// @return A warning for a run that takes at least half a minute; empty for a shorter one.
/// @param[in] can_be_smaller Whether `--n` says how much is computed.
inline std::string long_run_warning(double seconds, bool can_be_smaller) {
    if (seconds < 30) return "";
    const long minutes = std::lround(seconds / 60);
    return "on the simulator this takes about " +
           (minutes <= 1 ? "a minute" : std::to_string(minutes) + " minutes") +
           (can_be_smaller ? "; --n 1M takes seconds" : "");
}
