/// @file
/// @brief Ctrl-C as a request to stop.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

/// While it lives, SIGINT and SIGTERM are noted instead of ending the program. The second one ends it.
/// A signal that the program ignores stays ignored.
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

    /// The signal that has come, or 0.
    static int caught() { return caught_; }

 private:
    static constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
    static inline std::atomic<int> caught_ = 0;
    std::array<struct sigaction, 2> before_{};
};
