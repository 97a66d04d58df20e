/// @file
/// @brief CUDA's vector types (`uint4`, `float2`, …), their `make_` functions, and `dim3`.
#pragma once

#include <cstddef>

namespace sim {

/// The alignment, in bytes, of a vector of two or four components: its size, at most 16, as in CUDA. Vectors
/// of one and three components are aligned like one component.
template <typename T>
constexpr std::size_t vector_alignment(std::size_t components) {
    const std::size_t bytes = components * sizeof(T);
    return bytes < 16 ? bytes : 16;
}

}  // namespace sim

#define SIM_VECTOR_TYPES(T, name)                                         \
    struct name##1 {                                                      \
        T x;                                                              \
    };                                                                    \
    struct alignas(sim::vector_alignment<T>(2)) name##2 {                 \
        T x, y;                                                           \
    };                                                                    \
    struct name##3 {                                                      \
        T x, y, z;                                                        \
    };                                                                    \
    struct alignas(sim::vector_alignment<T>(4)) name##4 {                 \
        T x, y, z, w;                                                     \
    };                                                                    \
    constexpr name##1 make_##name##1(T x) { return {x}; }                 \
    constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
    constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
    constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

SIM_VECTOR_TYPES(signed char, char)
SIM_VECTOR_TYPES(unsigned char, uchar)
SIM_VECTOR_TYPES(short, short)
SIM_VECTOR_TYPES(unsigned short, ushort)
SIM_VECTOR_TYPES(int, int)
SIM_VECTOR_TYPES(unsigned int, uint)
SIM_VECTOR_TYPES(long long, longlong)
SIM_VECTOR_TYPES(unsigned long long, ulonglong)
SIM_VECTOR_TYPES(float, float)
SIM_VECTOR_TYPES(double, double)
#undef SIM_VECTOR_TYPES

/// The shape of a grid or a block. Omitted components are 1.
struct dim3 {
    unsigned int x, y, z;
    /// @{

    /// Conversions from numbers, and from and to vectors.
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
    /// @}
};
