/// @file
/// @brief CUDA's atomic functions for integers, float and double. All return the old value.
///
/// They are relaxed, like CUDA's: an atomic does not order other accesses; `__threadfence` does.
#pragma once

#include "kernel.h"

namespace sim {

/// Replaces `*address` by `change(*address)`. Tries again if another thread has changed `*address` in
/// between.
/// @return The old value.
template <typename T, typename Change>
T atomic_update(T* address, Change change) {
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(address, &old, change(old), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}

/// Adds to a floating-point number. @return The old value.
/// @tparam Bits An integer type of the same size: the compare-and-swap works on the number's bits.
template <typename Bits, typename T>
T atomic_add_float(T* address, T value) {
    return from_bits<T>(atomic_update(reinterpret_cast<Bits*>(address), [value](Bits old) {
        return static_cast<Bits>(to_bits(from_bits<T>(old) + value));
    }));
}

}  // namespace sim

// The empty asm hides the value: clang would replace the addition of a constant 0 by a load, which the lens
// does not count as an atomic.
#define SIM_ATOMIC(name, T, builtin)                      \
    inline T name(T* address, T value) {                  \
        asm("" : "+r"(value));                            \
        return builtin(address, value, __ATOMIC_RELAXED); \
    }
#define SIM_ATOMIC_UPDATE(name, T, expression)                                                     \
    inline T name(T* address, T value) {                                                           \
        return sim::atomic_update(address, [value](T old) { return static_cast<T>(expression); }); \
    }
#define SIM_ATOMIC_CAS(T)                                                                                 \
    inline T atomicCAS(T* address, T compare, T value) {                                                  \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return compare;                                                                                   \
    }
#define SIM_ATOMIC_INTEGER(T)                                  \
    SIM_ATOMIC(atomicAdd, T, __atomic_fetch_add)               \
    SIM_ATOMIC(atomicExch, T, __atomic_exchange_n)             \
    SIM_ATOMIC(atomicAnd, T, __atomic_fetch_and)               \
    SIM_ATOMIC(atomicOr, T, __atomic_fetch_or)                 \
    SIM_ATOMIC(atomicXor, T, __atomic_fetch_xor)               \
    SIM_ATOMIC_UPDATE(atomicMin, T, old < value ? old : value) \
    SIM_ATOMIC_UPDATE(atomicMax, T, old > value ? old : value) \
    SIM_ATOMIC_CAS(T)

SIM_ATOMIC_INTEGER(int)
SIM_ATOMIC_INTEGER(unsigned int)
SIM_ATOMIC_INTEGER(unsigned long long)
SIM_ATOMIC(atomicAnd, long long, __atomic_fetch_and)
SIM_ATOMIC(atomicOr, long long, __atomic_fetch_or)
SIM_ATOMIC(atomicXor, long long, __atomic_fetch_xor)
SIM_ATOMIC_UPDATE(atomicMin, long long, old < value ? old : value)
SIM_ATOMIC_UPDATE(atomicMax, long long, old > value ? old : value)
SIM_ATOMIC_CAS(unsigned short)
SIM_ATOMIC(atomicSub, int, __atomic_fetch_sub)
SIM_ATOMIC(atomicSub, unsigned int, __atomic_fetch_sub)
SIM_ATOMIC_UPDATE(atomicInc, unsigned int, old >= value ? 0 : old + 1)
SIM_ATOMIC_UPDATE(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)

/// @{

/// Atomics on floating-point numbers, implemented by atomics on integers of the same size.
inline float atomicAdd(float* address, float value) {
    return sim::atomic_add_float<std::uint32_t>(address, value);
}
inline double atomicAdd(double* address, double value) {
    return sim::atomic_add_float<std::uint64_t>(address, value);
}
inline float atomicExch(float* address, float value) {
    return sim::from_bits<float>(__atomic_exchange_n(reinterpret_cast<std::uint32_t*>(address),
                                                     static_cast<std::uint32_t>(sim::to_bits(value)),
                                                     __ATOMIC_RELAXED));
}
/// @}

#undef SIM_ATOMIC_INTEGER
#undef SIM_ATOMIC_CAS
#undef SIM_ATOMIC_UPDATE
#undef SIM_ATOMIC
