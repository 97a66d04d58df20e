/// @file
/// @brief Atomics with block or system scope. They do the same as those with device scope, but an instrument,
/// such as the lens, learns which ones have block scope.
#pragma once

#include "atomics.h"
#include "kernel.h"

#define SIM_SCOPES(name)                                        \
    template <typename T, typename... U>                        \
    T name##_block(T* address, U... values) {                   \
        sim::atomic_scope(true);                                \
        const T old = name(address, static_cast<T>(values)...); \
        sim::atomic_scope(false);                               \
        return old;                                             \
    }                                                           \
    template <typename T, typename... U>                        \
    T name##_system(T* address, U... values) {                  \
        return name(address, static_cast<T>(values)...);        \
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
