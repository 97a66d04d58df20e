/// @file
/// @brief Sums and other reductions over a group of lanes.
#pragma once

#include <utility>

#include "../cooperative_groups.h"

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_SITE (sim::Site{file, line})

namespace cooperative_groups {

#define SIM_FOLD(name, expression)             \
    template <typename T = void>               \
    struct name {                              \
        template <typename U>                  \
        U operator()(U a, U b) const {         \
            return static_cast<U>(expression); \
        }                                      \
    };
SIM_FOLD(plus, a + b)
SIM_FOLD(less, b < a ? b : a)
SIM_FOLD(greater, a < b ? b : a)
SIM_FOLD(bit_and, a& b)
SIM_FOLD(bit_or, a | b)
SIM_FOLD(bit_xor, a ^ b)
#undef SIM_FOLD
template <typename Group, typename T, typename Fold,
          typename = decltype(std::declval<Fold>()(std::declval<T>(), std::declval<T>()))>
T reduce(const Group& group, T value, Fold fold, SIM_HERE) {
    return sim::fold("reduce", group.lanes(), value, SIM_SITE, fold);
}

}  // namespace cooperative_groups
#undef SIM_SITE
#undef SIM_HERE
