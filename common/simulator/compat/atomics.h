/// @file
/// @brief Atomics of more types, and those of a block or of the system, which are the device's here.
#pragma once

#include "../include/cuda_runtime.h"

namespace sim {
template <typename Bits, typename T, typename Change>
T atomic_update_float(T* address, Change change) {
    return from_bits<T>(atomic_update(reinterpret_cast<Bits*>(address), [change](Bits old) {
        return static_cast<Bits>(to_bits(change(from_bits<T>(old))));
    }));
}
}  // namespace sim

inline unsigned long long atomicSub(unsigned long long* address, unsigned long long value) {
    return atomicAdd(address, 0 - value);
}
inline float atomicSub(float* address, float value) { return atomicAdd(address, -value); }
inline double atomicExch(double* address, double value) {
    return sim::atomic_update_float<std::uint64_t>(address, [value](double) { return value; });
}

#define SIM_SCOPES(name)                                 \
    template <typename T, typename... U>                 \
    T name##_block(T* address, U... values) {            \
        return name(address, static_cast<T>(values)...); \
    }                                                    \
    template <typename T, typename... U>                 \
    T name##_system(T* address, U... values) {           \
        return name(address, static_cast<T>(values)...); \
    }
SIM_SCOPES(atomicAdd)
SIM_SCOPES(atomicSub)
SIM_SCOPES(atomicExch)
SIM_SCOPES(atomicMin)
SIM_SCOPES(atomicMax)
SIM_SCOPES(atomicAnd)
SIM_SCOPES(atomicOr)
SIM_SCOPES(atomicXor)
SIM_SCOPES(atomicCAS)
SIM_SCOPES(atomicInc)
SIM_SCOPES(atomicDec)
#undef SIM_SCOPES
