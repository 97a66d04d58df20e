/// @file
/// @brief Keeps work on one of the CPU's cores.
#pragma once

#include <sched.h>

/// Binds the calling thread to its current core during the lifetime of this object, if the system allows it.
class OneCore {
 public:
    OneCore() : was_known_(sched_getaffinity(0, sizeof(before_), &before_) == 0) {
        const int core = sched_getcpu();
        if (!was_known_ || core < 0 || core >= CPU_SETSIZE) return;
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(core, &only);
        sched_setaffinity(0, sizeof(only), &only);
    }
    ~OneCore() {
        if (was_known_) sched_setaffinity(0, sizeof(before_), &before_);
    }
    OneCore(const OneCore&) = delete;
    OneCore& operator=(const OneCore&) = delete;

 private:
    cpu_set_t before_{};
    const bool was_known_;
};
