/// @file
/// @brief CUDA's mathematical functions that C lacks. Fast versions, such as `__expf`, are as accurate here
/// as the ordinary ones.
#pragma once

#include <math.h>

#include <cmath>

#define SIM_UNARY(T, name, expression) \
    inline T name(T x) { return expression; }
#define SIM_BINARY(T, name, expression) \
    inline T name(T x, T y) { return expression; }

SIM_UNARY(float, rsqrtf, 1.0f / sqrtf(x))
SIM_UNARY(double, rsqrt, 1.0 / sqrt(x))
SIM_UNARY(float, rsqrt, 1.0f / sqrtf(x))
SIM_UNARY(float, rcbrtf, 1.0f / cbrtf(x))
SIM_UNARY(double, rcbrt, 1.0 / cbrt(x))
SIM_UNARY(float, sinpif, sinf(fmodf(x, 2.0f) * 3.14159265f))
SIM_UNARY(double, sinpi, sin(fmod(x, 2.0) * 3.14159265358979324))
SIM_UNARY(float, cospif, cosf(fmodf(x, 2.0f) * 3.14159265f))
SIM_UNARY(double, cospi, cos(fmod(x, 2.0) * 3.14159265358979324))
SIM_UNARY(float, normcdff, 0.5f * erfcf(-x * 0.70710678f))
SIM_UNARY(double, normcdf, 0.5 * erfc(-x * 0.70710678118654752))
// From 25 on, computed by its asymptotic series, because erfc would underflow and exp would overflow.
SIM_UNARY(double, erfcx,
          x < 25
              ? exp(x * x) * erfc(x)
              : (1 - 0.5 / (x * x) * (1 - 1.5 / (x * x) * (1 - 2.5 / (x * x)))) / (x * 1.77245385090551603))
SIM_UNARY(float, saturate, fminf(fmaxf(x, 0.0f), 1.0f))
SIM_UNARY(float, __saturatef, fminf(fmaxf(x, 0.0f), 1.0f))
SIM_UNARY(float, __expf, expf(x))
SIM_UNARY(float, __exp10f, powf(10.0f, x))
SIM_UNARY(float, __logf, logf(x))
SIM_UNARY(float, __log2f, log2f(x))
SIM_UNARY(float, __log10f, log10f(x))
SIM_UNARY(float, __sinf, sinf(x))
SIM_UNARY(float, __cosf, cosf(x))
SIM_UNARY(float, __tanf, tanf(x))
SIM_UNARY(float, __tanhf, tanhf(x))
SIM_BINARY(float, __powf, powf(x, y))
SIM_BINARY(float, __fdividef, x / y)
SIM_BINARY(float, fdividef, x / y)
// Products of the factors' lower 24 bits.
SIM_BINARY(unsigned int, __umul24, (x & 0xffffff) * (y & 0xffffff))
SIM_BINARY(int, __mul24,
           static_cast<int>((((x & 0xffffffu) ^ 0x800000u) - 0x800000u) *
                            (((y & 0xffffffu) ^ 0x800000u) - 0x800000u)))
SIM_BINARY(int, mul24, __mul24(x, y))

// Operations with an explicit rounding mode. Here, all of them round to nearest.
#define SIM_ROUNDED(suffix)                                                           \
    SIM_BINARY(float, __fadd_##suffix, x + y)                                         \
    SIM_BINARY(float, __fsub_##suffix, x - y)                                         \
    SIM_BINARY(float, __fmul_##suffix, x* y)                                          \
    SIM_BINARY(float, __fdiv_##suffix, x / y)                                         \
    SIM_BINARY(double, __dadd_##suffix, x + y)                                        \
    SIM_BINARY(double, __dsub_##suffix, x - y)                                        \
    SIM_BINARY(double, __dmul_##suffix, x* y)                                         \
    SIM_BINARY(double, __ddiv_##suffix, x / y)                                        \
    SIM_UNARY(float, __fsqrt_##suffix, sqrtf(x))                                      \
    SIM_UNARY(double, __dsqrt_##suffix, sqrt(x))                                      \
    SIM_UNARY(float, __frcp_##suffix, 1.0f / x)                                       \
    SIM_UNARY(double, __drcp_##suffix, 1.0 / x)                                       \
    inline float __fmaf_##suffix(float x, float y, float z) { return fmaf(x, y, z); } \
    inline double __fma_##suffix(double x, double y, double z) { return fma(x, y, z); }
SIM_ROUNDED(rn)
SIM_ROUNDED(rz)
SIM_ROUNDED(ru)
SIM_ROUNDED(rd)
#undef SIM_ROUNDED
SIM_UNARY(float, __frsqrt_rn, 1.0f / sqrtf(x))
#undef SIM_UNARY
#undef SIM_BINARY

inline void __sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
inline void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }
inline void sincospi(double x, double* sine, double* cosine) { *sine = sinpi(x), *cosine = cospi(x); }
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline double norm3d(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }

/// @name math_constants.h
/// @{
#define CUDART_INF_F (__builtin_inff())
#define CUDART_NAN_F (__builtin_nanf(""))
#define CUDART_INF (__builtin_inf())
#define CUDART_NAN (__builtin_nan(""))
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_MIN_DENORM_F 1.401298464e-45f
/// @}
