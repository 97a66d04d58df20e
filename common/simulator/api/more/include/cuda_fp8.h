/// @file
/// @brief Floating-point numbers of 8 bits: stored in 8 bits, converted to compute.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };  // SATFINITE: too large becomes the largest number
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace sim {

/// A format: how many bits the mantissa has, the bias of the exponent, and the bits of NaN, of the largest
/// number, and of what larger numbers become (infinity, or NaN in E4M3, which has no infinity).
template <__nv_fp8_interpretation_t kKind>
struct Fp8 {
    static constexpr int kMantissa = kKind == __NV_E4M3 ? 3 : 2, kBias = kKind == __NV_E4M3 ? 7 : 15;
    static constexpr unsigned char kNaN = 0x7f, kLargest = kKind == __NV_E4M3 ? 0x7e : 0x7b;
    static constexpr unsigned char kTooLarge = kKind == __NV_E4M3 ? kNaN : 0x7c;

    static double to_double(unsigned char bits) {
        const int size = bits & 0x7f, exponent = size >> kMantissa, mantissa = size & ((1 << kMantissa) - 1);
        double value = exponent == 0 ? ldexp(mantissa, 1 - kBias - kMantissa)
                                     : ldexp(mantissa + (1 << kMantissa), exponent - kBias - kMantissa);
        if (size > kLargest) value = size == kTooLarge && kTooLarge != kNaN ? HUGE_VAL : nan("");
        return (bits & 0x80) != 0 ? -value : value;
    }
    /// Rounds to nearest, ties to even.
    static unsigned char from_double(double x, bool saturates) {
        if (x != x) return kNaN;
        const unsigned char sign = signbit(x) ? 0x80 : 0;
        int exponent = 0;
        frexp(x, &exponent);
        // The binary logarithm of the distance between neighbouring numbers.
        const int step = (exponent - 1 < 1 - kBias ? 1 - kBias : exponent - 1) - kMantissa;
        const double rounded = ldexp(nearbyint(ldexp(fabs(x), -step)), step);
        if (x == 0) return sign;
        if (!(rounded <= to_double(kLargest))) return sign | (saturates ? kLargest : kTooLarge);
        unsigned char bits = 0;  // becomes the greatest number up to `rounded`
        for (unsigned char bit = 0x40; bit != 0; bit >>= 1)
            if ((bits | bit) <= kLargest && to_double(bits | bit) <= rounded) bits |= bit;
        return sign | bits;
    }
};

/// A number in this format. Constructors saturate, as CUDA's do.
template <__nv_fp8_interpretation_t kKind>
struct Number8 {
    __nv_fp8_storage_t __x;
    Number8() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    explicit Number8(T value) : __x(Fp8<kKind>::from_double(static_cast<double>(value), true)) {}
    explicit Number8(__half value) : Number8(float(value)) {}
    explicit Number8(__nv_bfloat16 value) : Number8(float(value)) {}
    explicit operator float() const { return static_cast<float>(Fp8<kKind>::to_double(__x)); }
    explicit operator double() const { return Fp8<kKind>::to_double(__x); }
    explicit operator __half() const { return __half(float(*this)); }
    explicit operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }
};

}  // namespace sim

using __nv_fp8_e4m3 = sim::Number8<__NV_E4M3>;
using __nv_fp8_e5m2 = sim::Number8<__NV_E5M2>;

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                 __nv_fp8_interpretation_t kind) {
    const bool saturates = saturation == __NV_SATFINITE;
    return kind == __NV_E4M3 ? sim::Fp8<__NV_E4M3>::from_double(x, saturates)
                             : sim::Fp8<__NV_E5M2>::from_double(x, saturates);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(static_cast<double>(x), saturation, kind);
}
