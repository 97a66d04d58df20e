/// @file
/// @brief Notices that a kernel makes no progress.
#pragma once

#include <signal.h>
#include <time.h>

#include <cstdint>

namespace sim {

/// During its lifetime, the OS thread that created it gets a signal, `kTick`, ten times per timeout.
class Ticks {
 public:
    explicit Ticks(std::uint64_t timeout_seconds);
    ~Ticks();
    Ticks(const Ticks&) = delete;
    Ticks& operator=(const Ticks&) = delete;

 private:
    timer_t timer_{};
    bool runs_ = false;
};

}  // namespace sim
