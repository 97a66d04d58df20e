/// @file
/// @brief CUDA's `min` and `max`, which need no `std::` and also accept two numbers of different types.
#pragma once

#define SIM_MIN_MAX(R, A, B)                                                                  \
    inline R min(A a, B b) {                                                                  \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
    }                                                                                         \
    inline R max(A a, B b) {                                                                  \
        return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
    }
#define SIM_MIN_MAX_SIGNED_TOO(T)                   \
    SIM_MIN_MAX(T, T, T)                            \
    SIM_MIN_MAX(unsigned T, unsigned T, unsigned T) \
    SIM_MIN_MAX(unsigned T, T, unsigned T)          \
    SIM_MIN_MAX(unsigned T, unsigned T, T)

SIM_MIN_MAX_SIGNED_TOO(int)
SIM_MIN_MAX_SIGNED_TOO(long)
SIM_MIN_MAX_SIGNED_TOO(long long)
SIM_MIN_MAX(float, float, float)
SIM_MIN_MAX(double, double, double)
SIM_MIN_MAX(double, float, double)
SIM_MIN_MAX(double, double, float)
#undef SIM_MIN_MAX_SIGNED_TOO
#undef SIM_MIN_MAX

#define SIM_NAMED_MIN_MAX(T, prefix)                         \
    inline T prefix##min(T a, T b) { return a < b ? a : b; } \
    inline T prefix##max(T a, T b) { return a < b ? b : a; }
SIM_NAMED_MIN_MAX(unsigned int, u)
SIM_NAMED_MIN_MAX(long long, ll)
SIM_NAMED_MIN_MAX(unsigned long long, ull)
#undef SIM_NAMED_MIN_MAX
