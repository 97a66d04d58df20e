/// @file
/// @brief Linux: an OS thread's timer, whose ticks are signals.
#include "ticks.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "../platform.hpp"

namespace sim::platform {

Ticks::Ticks(std::uint64_t timeout_seconds, unsigned int per_timeout) {
    if (timeout_seconds == 0) return;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kTick;
    event._sigev_un._tid = gettid();
    // Time in which other programs keep this thread from running does not count.
    timer_t timer{};
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
    timer_ = new timer_t(timer);
    constexpr std::uint64_t kMostSeconds = 1u << 30, kSecond = 1'000'000'000;
    const std::uint64_t tick = std::min(timeout_seconds, kMostSeconds) * kSecond / per_timeout;
    itimerspec each{};
    each.it_interval.tv_sec = static_cast<time_t>(tick / kSecond);
    each.it_interval.tv_nsec = static_cast<long>(tick % kSecond);
    each.it_value = each.it_interval;
    timer_settime(timer, 0, &each, nullptr);
}

Ticks::~Ticks() {
    if (timer_ == nullptr) return;
    auto* const timer = static_cast<timer_t*>(timer_);
    timer_delete(*timer);
    delete timer;
}

}  // namespace sim::platform
