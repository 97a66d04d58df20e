/// @file
/// @brief A thread that a student's function has started must end before the function.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

/// Ends the process if it has threads other than this one.
inline void require_no_other_threads() {
    using namespace std::chrono_literals;
    // A thread that was joined is listed for a moment.
    for (int tries = 0; std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}) > 1;
         ++tries) {
        if (tries == 1000) {
            std::fprintf(stderr,
                         "simulator: a thread still runs after the function that started it has returned\n");
            std::_Exit(1);
        }
        std::this_thread::sleep_for(1ms);
    }
}
