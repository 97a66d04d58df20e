/// @file
/// @brief Complex numbers, as pairs of a real and an imaginary part.
#pragma once

#include "../prelude.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

/// Defines each function for one type; the names of those for `float` end with an f.
#define SIM_COMPLEX(T, Complex, f, abs)                                                \
    inline Complex make_##Complex(T real, T imaginary) { return {real, imaginary}; }   \
    inline T cuCreal##f(Complex z) { return z.x; }                                     \
    inline T cuCimag##f(Complex z) { return z.y; }                                     \
    inline Complex cuConj##f(Complex z) { return {z.x, -z.y}; }                        \
    inline Complex cuCadd##f(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }  \
    inline Complex cuCsub##f(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }  \
    inline Complex cuCmul##f(Complex a, Complex b) {                                   \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                         \
    }                                                                                  \
    /* Scaled, so that the squares neither overflow nor underflow. */                  \
    inline Complex cuCdiv##f(Complex a, Complex b) {                                   \
        const T scale = 1 / (abs(b.x) + abs(b.y));                                     \
        const Complex p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale};  \
        const T inverse = 1 / (q.x * q.x + q.y * q.y);                                 \
        return {(p.x * q.x + p.y * q.y) * inverse, (p.y * q.x - p.x * q.y) * inverse}; \
    }                                                                                  \
    inline T cuCabs##f(Complex z) { return hypot##f(z.x, z.y); }                       \
    inline Complex cuCfma##f(Complex a, Complex b, Complex c) {                        \
        return {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};             \
    }
SIM_COMPLEX(float, cuFloatComplex, f, fabsf)
SIM_COMPLEX(double, cuDoubleComplex, , fabs)
#undef SIM_COMPLEX

inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return {z.x, z.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return {static_cast<float>(z.x), static_cast<float>(z.y)};
}
