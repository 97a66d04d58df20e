/// @file
/// @brief 16-bit floating-point numbers, for cuda_fp16.h and cuda_bf16.h. They are computed in `float`.
#pragma once

#include "prelude.h"

namespace sim {

/// Removes the lowest `dropped` bits of a float and rounds the rest to nearest, ties to even.
inline std::uint32_t round_bits(std::uint32_t bits, int dropped) {
    return (bits + ((1u << (dropped - 1)) - 1) + (bits >> dropped & 1)) >> dropped;
}

/// IEEE's half precision: 5 bits of exponent, 10 of mantissa.
struct HalfFormat {
    static unsigned short from_float(float x) {
        const std::uint32_t bits = same_bits<std::uint32_t>(x), sign = bits >> 16 & 0x8000,
                            size = bits & 0x7fffffff;
        if (size > 0x7f800000) return static_cast<unsigned short>(sign | 0x7e00);   // not a number
        if (size >= 0x477ff000) return static_cast<unsigned short>(sign | 0x7c00);  // infinite
        if (size >= 0x38800000)                                                     // normal
            return static_cast<unsigned short>(sign | round_bits(size - 0x38000000, 13));
        return static_cast<unsigned short>(sign |
                                           static_cast<std::uint32_t>(nearbyintf(fabsf(x) * 16777216.0f)));
    }
    static float to_float(unsigned short bits) {
        const std::uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7fff;
        float value = same_bits<float>((size << 13) + 0x38000000);
        if (size < 0x400) value = static_cast<float>(size) / 16777216.0f;
        if (size >= 0x7c00) value = same_bits<float>((size << 13) | 0x7f800000);
        return same_bits<float>(same_bits<std::uint32_t>(value) | sign);
    }
};
/// A float's upper half: 8 bits of exponent, 7 of mantissa.
struct Bfloat16Format {
    static unsigned short from_float(float x) {
        if (x != x) return 0x7fff;
        return static_cast<unsigned short>(round_bits(same_bits<std::uint32_t>(x), 16));
    }
    static float to_float(unsigned short bits) { return same_bits<float>(std::uint32_t{bits} << 16); }
};

template <typename Format>
struct Float16 {
    unsigned short bits;

    Float16() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    Float16(T value) : bits(Format::from_float(static_cast<float>(value))) {}
    operator float() const { return Format::to_float(bits); }
    Float16& operator+=(Float16 other) { return *this = Float16(float(*this) + float(other)); }
    Float16& operator-=(Float16 other) { return *this = Float16(float(*this) - float(other)); }
    Float16& operator*=(Float16 other) { return *this = Float16(float(*this) * float(other)); }
    Float16& operator/=(Float16 other) { return *this = Float16(float(*this) / float(other)); }
    friend Float16 operator+(Float16 a, Float16 b) { return a += b; }
    friend Float16 operator-(Float16 a, Float16 b) { return a -= b; }
    friend Float16 operator*(Float16 a, Float16 b) { return a *= b; }
    friend Float16 operator/(Float16 a, Float16 b) { return a /= b; }
    friend Float16 operator-(Float16 a) { return Float16(-float(a)); }
    friend bool operator<(Float16 a, Float16 b) { return float(a) < float(b); }
    friend bool operator>(Float16 a, Float16 b) { return float(a) > float(b); }
    friend bool operator<=(Float16 a, Float16 b) { return float(a) <= float(b); }
    friend bool operator>=(Float16 a, Float16 b) { return float(a) >= float(b); }
    friend bool operator==(Float16 a, Float16 b) { return float(a) == float(b); }
    friend bool operator!=(Float16 a, Float16 b) { return float(a) != float(b); }
};
template <typename T>
struct alignas(4) Pair16 {
    T x, y;
    Pair16() = default;
    Pair16(T first, T second) : x(first), y(second) {}
    friend Pair16 operator+(Pair16 a, Pair16 b) { return {a.x + b.x, a.y + b.y}; }
    friend Pair16 operator-(Pair16 a, Pair16 b) { return {a.x - b.x, a.y - b.y}; }
    friend Pair16 operator*(Pair16 a, Pair16 b) { return {a.x * b.x, a.y * b.y}; }
    friend Pair16 operator/(Pair16 a, Pair16 b) { return {a.x / b.x, a.y / b.y}; }
    friend Pair16 operator-(Pair16 a) { return {-a.x, -a.y}; }
    friend bool operator==(Pair16 a, Pair16 b) { return a.x == b.x && a.y == b.y; }
    friend bool operator!=(Pair16 a, Pair16 b) {
        return a.x != b.x && a.y != b.y;
    }  // both halves must differ, as in CUDA
    Pair16& operator+=(Pair16 b) { return *this = *this + b; }
    Pair16& operator-=(Pair16 b) { return *this = *this - b; }
    Pair16& operator*=(Pair16 b) { return *this = *this * b; }
    Pair16& operator/=(Pair16 b) { return *this = *this / b; }
};

/// The next greater or the next smaller number of a format.
template <typename T>
T next_number(T x, bool greater) {
    const bool grows = (x.bits >> 15 == 0) == greater;
    if ((x.bits & 0x7fff) == 0)
        x.bits = greater ? 0x0001 : 0x8001;
    else
        x.bits = static_cast<unsigned short>(grows ? x.bits + 1 : x.bits - 1);
    return x;
}
/// The nearest number from 0 to 1; NaN becomes 0.
template <typename T>
T clamped(T x) {
    return T(fminf(fmaxf(x, 0), 1));
}

}  // namespace sim

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_FLOAT16_COMPARE(T2, which)                                                           \
    inline T2 __h##which##2(T2 a, T2 b) { return {__h##which(a.x, b.x), __h##which(a.y, b.y)}; } \
    inline bool __hb##which##2(T2 a, T2 b) { return __h##which(a.x, b.x) && __h##which(a.y, b.y); }
#define SIM_FLOAT16_FUNCTION(T, T2, function, value) \
    inline T h##function(T a) {                      \
        const float x = a;                           \
        return T(value);                             \
    }                                                \
    inline T2 h2##function(T2 a) { return {h##function(a.x), h##function(a.y)}; }
/// Two forms of an operation: `_rn` rounds to nearest and is never fused with another operation; `_sat`
/// clamps the result to [0, 1].
#define SIM_FLOAT16_FORMS(T, T2, name)                                           \
    inline T __h##name##_rn(T a, T b) { return __h##name(a, b); }                \
    inline T2 __h##name##2_rn(T2 a, T2 b) { return __h##name##2(a, b); }         \
    inline T __h##name##_sat(T a, T b) { return sim::clamped(__h##name(a, b)); } \
    inline T2 __h##name##2_sat(T2 a, T2 b) { return {__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)}; }
#define SIM_FLOAT16_TO(T, name, To, to)                                               \
    inline To __##name##2##to##_rn(T x) { return sim::saturated<To>(nearbyintf(x)); } \
    inline To __##name##2##to##_rz(T x) { return sim::saturated<To>(truncf(x)); }     \
    inline To __##name##2##to##_ru(T x) { return sim::saturated<To>(ceilf(x)); }      \
    inline To __##name##2##to##_rd(T x) { return sim::saturated<To>(floorf(x)); }
#define SIM_FLOAT16_FROM(T, name, From, from)                                      \
    inline T __##from##2##name##_rn(From x) { return T(x); }                       \
    inline T __##from##2##name##_rz(From x) { return sim::rounded_to_zero<T>(x); } \
    inline T __##from##2##name##_ru(From x) { return sim::rounded_up<T>(x); }      \
    inline T __##from##2##name##_rd(From x) { return sim::rounded_down<T>(x); }
#define SIM_FLOAT16_INTEGER(T, name, Integer, integer) \
    SIM_FLOAT16_TO(T, name, Integer, integer) SIM_FLOAT16_FROM(T, name, Integer, integer)
/// Conversions from and to other types.
#define SIM_FLOAT16_CONVERSIONS(T, name)                                         \
    SIM_FLOAT16_FROM(T, name, float, float)                                      \
    SIM_FLOAT16_INTEGER(T, name, short, short)                                   \
    SIM_FLOAT16_INTEGER(T, name, unsigned short, ushort)                         \
    SIM_FLOAT16_INTEGER(T, name, int, int)                                       \
    SIM_FLOAT16_INTEGER(T, name, unsigned int, uint)                             \
    SIM_FLOAT16_INTEGER(T, name, long long, ll)                                  \
    SIM_FLOAT16_INTEGER(T, name, unsigned long long, ull)                        \
    inline unsigned short __##name##_as_ushort(T x) { return x.bits; }           \
    inline short __##name##_as_short(T x) { return static_cast<short>(x.bits); } \
    inline T __ushort_as_##name(unsigned short bits) {                           \
        T x;                                                                     \
        x.bits = bits;                                                           \
        return x;                                                                \
    }                                                                            \
    inline T __short_as_##name(short bits) { return __ushort_as_##name(static_cast<unsigned short>(bits)); }
/// The functions of a format: each for one number, `T`, and for two, `T2`.
#define SIM_FLOAT16_FUNCTIONS(T, T2)                                                                      \
    inline T __hadd(T a, T b) { return a + b; }                                                           \
    inline T __hsub(T a, T b) { return a - b; }                                                           \
    inline T __hmul(T a, T b) { return a * b; }                                                           \
    inline T __hdiv(T a, T b) { return a / b; }                                                           \
    inline T __hneg(T a) { return -a; }                                                                   \
    inline T __habs(T a) { return T(fabsf(a)); }                                                          \
    inline T __hfma(T a, T b, T c) { return T(fmaf(a, b, c)); }                                           \
    inline T __hmax(T a, T b) { return T(fmaxf(a, b)); }                                                  \
    inline T __hmin(T a, T b) { return T(fminf(a, b)); }                                                  \
    inline bool __hlt(T a, T b) { return a < b; }                                                         \
    inline bool __hle(T a, T b) { return a <= b; }                                                        \
    inline bool __hgt(T a, T b) { return a > b; }                                                         \
    inline bool __hge(T a, T b) { return a >= b; }                                                        \
    inline bool __heq(T a, T b) { return a == b; }                                                        \
    inline bool __hne(T a, T b) { return a != b; }                                                        \
    inline bool __hisnan(T a) { return float(a) != float(a); }                                            \
    inline int __hisinf(T a) { return fabsf(a) == __builtin_inff() ? (a < T(0) ? -1 : 1) : 0; }           \
    inline T __hmax_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }            \
    inline T __hmin_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }            \
    inline T __hfma_sat(T a, T b, T c) { return sim::clamped(__hfma(a, b, c)); }                          \
    inline T __hfma_relu(T a, T b, T c) { return __hmax(__hfma(a, b, c), T(0)); }                         \
    inline T2 __hadd2(T2 a, T2 b) { return a + b; }                                                       \
    inline T2 __hsub2(T2 a, T2 b) { return a - b; }                                                       \
    inline T2 __hmul2(T2 a, T2 b) { return a * b; }                                                       \
    inline T2 __h2div(T2 a, T2 b) { return a / b; }                                                       \
    inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }        \
    inline T2 __hneg2(T2 a) { return -a; }                                                                \
    inline T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                                        \
    inline T2 __hmax2(T2 a, T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                        \
    inline T2 __hmin2(T2 a, T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                        \
    inline T2 __hisnan2(T2 a) { return {__hisnan(a.x), __hisnan(a.y)}; }                                  \
    inline T2 __hmax2_nan(T2 a, T2 b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }            \
    inline T2 __hmin2_nan(T2 a, T2 b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }            \
    inline T2 __hfma2_sat(T2 a, T2 b, T2 c) {                                                             \
        return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};                                    \
    }                                                                                                     \
    inline T2 __hfma2_relu(T2 a, T2 b, T2 c) {                                                            \
        return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};                                  \
    }                                                                                                     \
    SIM_FLOAT16_FORMS(T, T2, add)                                                                         \
    SIM_FLOAT16_FORMS(T, T2, sub)                                                                         \
    SIM_FLOAT16_FORMS(T, T2, mul)                                                                         \
    SIM_FLOAT16_COMPARE(T2, eq)                                                                           \
    SIM_FLOAT16_COMPARE(T2, ne)                                                                           \
    SIM_FLOAT16_COMPARE(T2, lt)                                                                           \
    SIM_FLOAT16_COMPARE(T2, le)                                                                           \
    SIM_FLOAT16_COMPARE(T2, gt)                                                                           \
    SIM_FLOAT16_COMPARE(T2, ge)                                                                           \
    SIM_FLOAT16_FUNCTION(T, T2, sqrt, sqrtf(x))                                                           \
    SIM_FLOAT16_FUNCTION(T, T2, rsqrt, rsqrtf(x))                                                         \
    SIM_FLOAT16_FUNCTION(T, T2, rcp, 1.0f / x)                                                            \
    SIM_FLOAT16_FUNCTION(T, T2, exp, expf(x))                                                             \
    SIM_FLOAT16_FUNCTION(T, T2, exp2, exp2f(x))                                                           \
    SIM_FLOAT16_FUNCTION(T, T2, exp10, powf(10.0f, x))                                                    \
    SIM_FLOAT16_FUNCTION(T, T2, log, logf(x))                                                             \
    SIM_FLOAT16_FUNCTION(T, T2, log2, log2f(x))                                                           \
    SIM_FLOAT16_FUNCTION(T, T2, log10, log10f(x))                                                         \
    SIM_FLOAT16_FUNCTION(T, T2, sin, sinf(x))                                                             \
    SIM_FLOAT16_FUNCTION(T, T2, cos, cosf(x))                                                             \
    SIM_FLOAT16_FUNCTION(T, T2, tanh, tanhf(x))                                                           \
    SIM_FLOAT16_FUNCTION(T, T2, ceil, ceilf(x))                                                           \
    SIM_FLOAT16_FUNCTION(T, T2, floor, floorf(x))                                                         \
    SIM_FLOAT16_FUNCTION(T, T2, rint, rintf(x))                                                           \
    SIM_FLOAT16_FUNCTION(T, T2, trunc, truncf(x))                                                         \
    inline T atomicAdd(T* address, T value) {                                                             \
        T result;                                                                                         \
        result.bits = sim::atomic_update(&address->bits, [value](unsigned short old) {                    \
            T sum;                                                                                        \
            sum.bits = old;                                                                               \
            sum += value;                                                                                 \
            return sum.bits;                                                                              \
        });                                                                                               \
        return result;                                                                                    \
    }                                                                                                     \
    inline T2 atomicAdd(T2* address, T2 value) {                                                          \
        return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};                        \
    }                                                                                                     \
    inline T __ldg(const T* address) { return *address; }                                                 \
    inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32, SIM_HERE) { \
        value.bits = static_cast<unsigned short>(                                                         \
            __shfl_down_sync(mask, static_cast<unsigned int>(value.bits), delta, width, file, line));     \
        return value;                                                                                     \
    }                                                                                                     \
    inline T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32, SIM_HERE) {           \
        value.bits = static_cast<unsigned short>(                                                         \
            __shfl_xor_sync(mask, static_cast<unsigned int>(value.bits), lanes, width, file, line));      \
        return value;                                                                                     \
    }
