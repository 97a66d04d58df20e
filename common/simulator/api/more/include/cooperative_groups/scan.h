/// @file
/// @brief Prefix sums and other scans over a group of lanes.
#pragma once

#include "reduce.h"

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_SITE (sim::Site{file, line})

namespace cooperative_groups {

template <typename Group, typename T, typename Fold = plus<T>>
T inclusive_scan(const Group& group, T value, Fold fold = {}, SIM_HERE) {
    for (unsigned int delta = 1; delta < group.size(); delta *= 2) {
        const T before = group.shfl_up(value, delta, file, line);
        if (group.thread_rank() >= delta) value = fold(before, value);
    }
    return value;
}
template <typename Group, typename T, typename Fold = plus<T>>
T exclusive_scan(const Group& group, T value, Fold fold = {}, SIM_HERE) {
    const T before = group.shfl_up(inclusive_scan(group, value, fold, file, line), 1, file, line);
    return group.thread_rank() == 0 ? T{} : before;
}

}  // namespace cooperative_groups
#undef SIM_SITE
#undef SIM_HERE
