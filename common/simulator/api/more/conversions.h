/// @file
/// @brief CUDA's conversions. Those to integers saturate, as a GPU's do.
#pragma once

#include <math.h>
#include <string.h>

namespace sim {

// Computed here, because where clang checks kernels (clang/editor.h), they can't call the functions of
// std::numeric_limits.
template <typename T>
inline constexpr bool kIsSigned = static_cast<T>(-1) < 0;
template <typename T>
inline constexpr T kLeast = kIsSigned<T> ? static_cast<T>(1ull << (8 * sizeof(T) - 1)) : 0;
template <typename T>
inline constexpr T kGreatest = static_cast<T>(~kLeast<T>);

/// Converts to an integer. A number out of range becomes the nearest integer that `To` has. NaN becomes 0 or,
/// if either type has 64 bits, the integer whose highest bit alone is set (PTX: `cvt`).
template <typename To, typename From>
To saturated(From x) {
    if (x != x) return static_cast<To>(sizeof(From) + sizeof(To) > 8 ? 1ull << (8 * sizeof(To) - 1) : 0);
    if (x <= static_cast<From>(kLeast<To>)) return kLeast<To>;
    if (x >= static_cast<From>(kGreatest<To>)) return kGreatest<To>;
    return static_cast<To>(x);
}
/// Compares a rounded number with the number before rounding. @return 1 if the rounded one is greater, -1 if
/// it is less, and 0 if they are equal.
/// @tparam To A `float`, or a type with fewer bits.
template <typename To, typename From>
int compared(To rounded, From exact) {
    const double x = static_cast<float>(rounded);
    if constexpr (static_cast<From>(0.5) != 0) {
        return (x > exact) - (x < exact);
    } else {
        const double end = 2.0 * static_cast<double>(kGreatest<From> / 2 + 1);  // kGreatest<From> + 1
        if (x >= end) return 1;
        if (x < -end) return -1;
        return (static_cast<From>(x) > exact) - (static_cast<From>(x) < exact);
    }
}
/// The next greater or the next smaller number.
inline float next_number(float x, bool greater) { return nextafterf(x, greater ? INFINITY : -INFINITY); }
template <typename To, typename From>
To rounded_up(From x) {
    const To nearest(static_cast<To>(x));
    return compared(nearest, x) < 0 ? next_number(nearest, true) : nearest;
}
template <typename To, typename From>
To rounded_down(From x) {
    const To nearest(static_cast<To>(x));
    return compared(nearest, x) > 0 ? next_number(nearest, false) : nearest;
}
template <typename To, typename From>
To rounded_to_zero(From x) {
    return x > 0 ? rounded_down<To>(x) : rounded_up<To>(x);
}
template <typename To, typename From>
To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "both types must have the same size");
    To to;
    memcpy(&to, &from, sizeof(to));
    return to;
}

}  // namespace sim

#define SIM_FLOAT_TO(From, from, To, to)                                                \
    inline To __##from##2##to##_rn(From x) { return sim::saturated<To>(nearbyint(x)); } \
    inline To __##from##2##to##_rz(From x) { return sim::saturated<To>(trunc(x)); }     \
    inline To __##from##2##to##_ru(From x) { return sim::saturated<To>(ceil(x)); }      \
    inline To __##from##2##to##_rd(From x) { return sim::saturated<To>(floor(x)); }
SIM_FLOAT_TO(float, float, int, int)
SIM_FLOAT_TO(float, float, unsigned int, uint)
SIM_FLOAT_TO(float, float, long long, ll)
SIM_FLOAT_TO(float, float, unsigned long long, ull)
SIM_FLOAT_TO(double, double, int, int)
SIM_FLOAT_TO(double, double, unsigned int, uint)
SIM_FLOAT_TO(double, double, long long, ll)
SIM_FLOAT_TO(double, double, unsigned long long, ull)
#undef SIM_FLOAT_TO

#define SIM_TO_FLOAT(From, from)                                                        \
    inline float __##from##2float_rn(From x) { return static_cast<float>(x); }          \
    inline float __##from##2float_rz(From x) { return sim::rounded_to_zero<float>(x); } \
    inline float __##from##2float_ru(From x) { return sim::rounded_up<float>(x); }      \
    inline float __##from##2float_rd(From x) { return sim::rounded_down<float>(x); }    \
    inline double __##from##2double_rn(From x) { return static_cast<double>(x); }
SIM_TO_FLOAT(int, int)
SIM_TO_FLOAT(unsigned int, uint)
SIM_TO_FLOAT(long long, ll)
SIM_TO_FLOAT(unsigned long long, ull)
SIM_TO_FLOAT(double, double)
#undef SIM_TO_FLOAT

inline int __float_as_int(float x) { return sim::same_bits<int>(x); }
inline unsigned int __float_as_uint(float x) { return sim::same_bits<unsigned int>(x); }
inline float __int_as_float(int x) { return sim::same_bits<float>(x); }
inline float __uint_as_float(unsigned int x) { return sim::same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return sim::same_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return sim::same_bits<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned int>(low));
}
