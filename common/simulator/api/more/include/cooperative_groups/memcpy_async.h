/// @file
/// @brief Copies by a group. When the call returns, the calling thread has copied its part.
#pragma once

#include "../cooperative_groups.h"

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_SITE (sim::Site{file, line})

namespace cooperative_groups {

template <typename Group, typename T>
void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <typename Group>
void wait(const Group& group, SIM_HERE) {
    group.sync(file, line);
}

}  // namespace cooperative_groups
#undef SIM_SITE
#undef SIM_HERE
