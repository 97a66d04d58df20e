/// @file
/// @brief Loads and stores with cache hints, which have no effect here; fences, timers, traps and address
/// spaces.
#pragma once

#include "kernel.h"

// CUDA's manual documents these functions.
/// @cond

template <typename T>
T __ldg(const T* address) {
    return __ldcs(address);
}
template <typename T>
T __ldca(const T* address) {
    return __ldcs(address);
}
template <typename T>
T __ldlu(const T* address) {
    return __ldcs(address);
}
template <typename T>
T __ldcv(const T* address) {
    return __ldcs(address);
}
#define SIM_STORE(name)              \
    template <typename T>            \
    void name(T* address, T value) { \
        *address = value;            \
    }
SIM_STORE(__stwb)
SIM_STORE(__stcg)
SIM_STORE(__stcs)
SIM_STORE(__stwt)
#undef SIM_STORE

inline void __threadfence_block() { sim::fence(true); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned int) {}
inline void __prof_trigger(int) {}
[[noreturn]] inline void __trap() { __builtin_trap(); }
inline void __brkpt() {}
inline long long globaltimer() { return sim::device_clock(); }

/// @name Address spaces: here, there is only one, and every address counts as global
/// @{
inline unsigned int __isGlobal(const void*) { return 1; }
inline size_t __cvta_generic_to_shared(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
inline size_t __cvta_generic_to_global(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
/// @}

/// @endcond
