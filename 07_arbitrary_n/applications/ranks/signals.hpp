/// @file
/// @brief Ctrl-C and SIGTERM: either noted as a request to stop, or an immediate end with a last line.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <string>

/// During its lifetime, SIGINT and SIGTERM are noted instead of ending the program. The same signal a second
/// time ends it. A signal that the program ignores stays ignored.
class SignalWatch {
 public:
    SignalWatch() {
        caught_ = 0;
        struct sigaction note {};
        note.sa_handler = [](int signal) { caught_ = signal; };
        note.sa_flags = static_cast<int>(SA_RESETHAND);
        for (std::size_t k = 0; k < kSignals.size(); ++k) {
            sigaction(kSignals[k], nullptr, &before_[k]);
            if (before_[k].sa_handler != SIG_IGN) sigaction(kSignals[k], &note, nullptr);
        }
    }
    ~SignalWatch() {
        for (std::size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], &before_[k], nullptr);
    }
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// The number of the signal that was noted last, or 0.
    static int caught() { return caught_; }

 private:
    static constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
    static inline std::atomic<int> caught_ = 0;
    std::array<struct sigaction, 2> before_{};
};

inline std::string last_line;  ///< for `end_with_last_line`

/// Ends the program at once, even in a signal's handler.
[[noreturn]] inline void end_with_last_line(int status) {
    [[maybe_unused]] const ssize_t size = write(STDERR_FILENO, last_line.data(), last_line.size());
    _exit(status);
}

/// @brief From now on, SIGINT and SIGTERM print a line on standard error and end the program at once.
///
/// This also ends a call that waits for a process that has been killed. `SignalWatch` would only note the
/// signal.
inline void end_by_signals(const std::string& line) {
    last_line = line;
    for (const int signal : {SIGINT, SIGTERM})
        std::signal(signal, [](int number) { end_with_last_line(128 + number); });
}

/// Undoes `end_by_signals`.
inline void restore_signals() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}
