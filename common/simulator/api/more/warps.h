/// @file
/// @brief More warp functions: reductions, the mask of converged lanes, and the functions without `_sync` of
/// older programs.
#pragma once

#include "../../include/cuda_runtime.h"
#include "../../include/simulator/cooperation.h"

namespace sim {

/// Combines the values that the lanes of a mask have passed, from the lowest lane to the highest.
template <typename T, typename Fold>
T fold(const char* function, unsigned int mask, T value, Site site, Fold change) {
    const WarpValues all = warp_exchange(function, mask, to_bits(value), site);
    bool first = true;
    T result{};
    for (unsigned int i = 0; i < warpSize; ++i) {
        if ((all.lanes >> i & 1) == 0) continue;
        const T next = from_bits<T>(all.value[i]);
        result = first ? next : change(result, next);
        first = false;
    }
    return result;
}

}  // namespace sim

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_SITE (sim::Site{file, line})

inline unsigned int sim_active_mask(SIM_HERE) { return sim::converged_lanes(SIM_SITE); }
#define __activemask sim_active_mask

#define SIM_REDUCE(name, expression)                                                                         \
    template <typename T>                                                                                    \
    T name(unsigned int mask, T value, SIM_HERE) {                                                           \
        return sim::fold(#name, mask, value, SIM_SITE, [](T a, T b) { return static_cast<T>(expression); }); \
    }
SIM_REDUCE(__reduce_min_sync, a < b ? a : b)
SIM_REDUCE(__reduce_max_sync, a > b ? a : b)
SIM_REDUCE(__reduce_and_sync, a& b)
SIM_REDUCE(__reduce_or_sync, a | b)
SIM_REDUCE(__reduce_xor_sync, a ^ b)
#undef SIM_REDUCE

/// @name Functions without `_sync`, as before CUDA 9: the converged lanes take part
/// @{
#define SIM_LEGACY(name, parameter)                                                      \
    template <typename T>                                                                \
    T name(T value, parameter x, int width = warpSize, SIM_HERE) {                       \
        return name##_sync(sim::converged_lanes(SIM_SITE), value, x, width, file, line); \
    }
SIM_LEGACY(__shfl, int)
SIM_LEGACY(__shfl_up, unsigned int)
SIM_LEGACY(__shfl_down, unsigned int)
SIM_LEGACY(__shfl_xor, int)
#undef SIM_LEGACY
inline unsigned int __ballot(int predicate, SIM_HERE) {
    return __ballot_sync(sim::converged_lanes(SIM_SITE), predicate, file, line);
}
inline int __any(int predicate, SIM_HERE) {
    return __any_sync(sim::converged_lanes(SIM_SITE), predicate, file, line);
}
inline int __all(int predicate, SIM_HERE) {
    return __all_sync(sim::converged_lanes(SIM_SITE), predicate, file, line);
}
/// @}
#undef SIM_SITE
#undef SIM_HERE
