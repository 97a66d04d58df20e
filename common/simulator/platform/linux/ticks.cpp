/// @file
/// @brief Linux: an OS thread's timer, whose ticks are signals.
#include "ticks.hpp"

#include <time.h>
#include <unistd.h>

#include "../platform.hpp"

namespace sim::platform {

Ticks::Ticks(unsigned int per_second) {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kTick;
    event._sigev_un._tid = gettid();
    // Time during which other programs use the core does not count.
    timer_t timer{};
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
    timer_ = new timer_t(timer);
    itimerspec each{};
    each.it_interval.tv_nsec = 1'000'000'000 / static_cast<long>(per_second);
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
