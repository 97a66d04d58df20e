/// @file
/// @brief CUDA's functions for bits, bytes and products of integers.
#pragma once

#include <cstdint>

#include "kernel.h"

// CUDA's manual documents these functions.
/// @cond

inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) {
    unsigned int result = 0;
    for (int i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
    return result;
}
inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
           __brev(static_cast<unsigned int>(x >> 32));
}
/// Selects four of the eight bytes of `x` (0 to 3) and `y` (4 to 7), each by a hexadecimal digit of
/// `selector`. If bit 3 of the digit is set, the byte is replaced by eight copies of its sign bit.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
    unsigned int result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned int digit = selector >> 4 * i & 15, byte = bytes >> 8 * (digit & 7) & 255;
        result |= ((digit & 8) == 0 ? byte : (byte & 128) != 0 ? 255u : 0u) << 8 * i;
    }
    return result;
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((std::uint64_t{high} << 32 | low) << (shift % 32) >> 32);
}

inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>(std::uint64_t{a} * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned int __sad(int a, int b, unsigned int sum) {
    return sum + (a > b ? static_cast<unsigned int>(a) - static_cast<unsigned int>(b)
                        : static_cast<unsigned int>(b) - static_cast<unsigned int>(a));
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int sum) {
    return sum + (a > b ? a - b : b - a);
}
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }

/// `sum` plus the products of the four pairs of bytes.
inline int __dp4a(int a, int b, int sum) {
    for (int i = 0; i < 32; i += 8)
        sum += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
    return sum;
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int sum) {
    for (int i = 0; i < 32; i += 8) sum += (a >> i & 255) * (b >> i & 255);
    return sum;
}

/// @endcond
