/// @file
/// @brief Sums and other folds of a group of lanes.
#pragma once

#include <utility>

#include "../cooperative_groups.h"

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_SITE (sim::Site{file, line})

namespace cooperative_groups {

template <typename T = void>
struct plus {
    template <typename U>
    U operator()(U a, U b) const {
        return static_cast<U>(a + b);
    }
};
template <typename T = void>
struct less {
    template <typename U>
    U operator()(U a, U b) const {
        return b < a ? b : a;
    }
};
template <typename T = void>
struct greater {
    template <typename U>
    U operator()(U a, U b) const {
        return a < b ? b : a;
    }
};
template <typename Group, typename T, typename Fold,
          typename = decltype(std::declval<Fold>()(std::declval<T>(), std::declval<T>()))>
T reduce(const Group& group, T value, Fold fold, SIM_HERE) {
    return sim::fold("reduce", group.lanes(), value, SIM_SITE, fold);
}

}  // namespace cooperative_groups
#undef SIM_SITE
#undef SIM_HERE
