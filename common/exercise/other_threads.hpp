/// @file
/// @brief A thread that a student's function has started must end before the function.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

inline std::ptrdiff_t number_of_threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}
/// The number of threads before the process has started any itself: 1, or under QEMU, for example, 2.
inline const std::ptrdiff_t threads_at_start = number_of_threads();

/// Ends the process if it has started threads that still run.
inline void require_no_other_threads() {
    using namespace std::chrono_literals;
    // A thread that was joined is still listed for a moment.
    for (int tries = 0; number_of_threads() > threads_at_start; ++tries) {
        if (tries == 1000) {
            std::fprintf(stderr,
                         "simulator: a thread still runs after the function that started it has returned: "
                         "join it in the function\n");
            std::_Exit(1);
        }
        std::this_thread::sleep_for(1ms);
    }
}
