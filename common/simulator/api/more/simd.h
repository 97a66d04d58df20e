/// @file
/// @brief CUDA's operations on the two halves or the four bytes of a word, such as `__vadd4`.
#pragma once

namespace sim {

/// Applies a function to each pair of corresponding parts of two words, and combines the results into a word.
/// A part is a number of type `T`.
template <typename T, typename Function>
unsigned int in_parts(unsigned int a, unsigned int b, Function function) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    unsigned int result = 0;
    for (int at = 0; at < 32; at += kBits) {
        const int value = function(static_cast<T>(a >> at), static_cast<T>(b >> at));
        result |= (static_cast<unsigned int>(value) & ((1u << kBits) - 1)) << at;
    }
    return result;
}
/// The number nearest to `x` that a part of type `T` can hold.
template <typename T>
int clamped(int x) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    constexpr int kMost = static_cast<T>(-1) < 0 ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
    constexpr int kLeast = static_cast<T>(-1) < 0 ? -kMost - 1 : 0;
    return x < kLeast ? kLeast : x > kMost ? kMost : x;
}

}  // namespace sim

// Define functions for the halves (suffix 2) or the bytes (suffix 4) of words. In an expression, `T` is the
// type of a part, and `x` and `y` are corresponding parts of the two arguments.
#define SIM_PARTS_OF(suffix, T_, name, expression)                                     \
    inline unsigned int name##suffix(unsigned int a, unsigned int b) {                 \
        using T [[maybe_unused]] = T_;                                                 \
        return sim::in_parts<T>(a, b, [](int x, int y) -> int { return expression; }); \
    }
#define SIM_PART_OF(suffix, T_, name, expression)                                    \
    inline unsigned int name##suffix(unsigned int a) {                               \
        using T [[maybe_unused]] = T_;                                               \
        return sim::in_parts<T>(a, 0, [](int x, int) -> int { return expression; }); \
    }
#define SIM_SUM_OF(suffix, T_, name)                                                                         \
    inline unsigned int name##suffix(unsigned int a, unsigned int b) {                                       \
        unsigned int sum = 0;                                                                                \
        sim::in_parts<T_>(                                                                                   \
            a, b, [&](int x, int y) { return sum += static_cast<unsigned int>(x < y ? y - x : x - y), 0; }); \
        return sum;                                                                                          \
    }
#define SIM_SIGNED(name, expression)                \
    SIM_PARTS_OF(2, signed short, name, expression) \
    SIM_PARTS_OF(4, signed char, name, expression)
#define SIM_UNSIGNED(name, expression)                \
    SIM_PARTS_OF(2, unsigned short, name, expression) \
    SIM_PARTS_OF(4, unsigned char, name, expression)
#define SIM_OF_ONE(name, expression)               \
    SIM_PART_OF(2, signed short, name, expression) \
    SIM_PART_OF(4, signed char, name, expression)
// Where a comparison holds, `__vcmp` sets all bits of the part, and `__vset` sets the part to 1.
#define SIM_COMPARE(name, which, operation) \
    SIM_##which(__vcmp##name, (x operation y) ? -1 : 0) SIM_##which(__vset##name, x operation y)

SIM_OF_ONE(__vabs, x < 0 ? -x : x)
SIM_OF_ONE(__vabsss, sim::clamped<T>(x < 0 ? -x : x))
SIM_OF_ONE(__vneg, -x)
SIM_OF_ONE(__vnegss, sim::clamped<T>(-x))
SIM_UNSIGNED(__vadd, x + y)
SIM_SIGNED(__vaddss, sim::clamped<T>(x + y))
SIM_UNSIGNED(__vaddus, sim::clamped<T>(x + y))
SIM_UNSIGNED(__vsub, x - y)
SIM_SIGNED(__vsubss, sim::clamped<T>(x - y))
SIM_UNSIGNED(__vsubus, sim::clamped<T>(x - y))
SIM_SIGNED(__vabsdiffs, x < y ? y - x : x - y)
SIM_UNSIGNED(__vabsdiffu, x < y ? y - x : x - y)
SIM_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)  // rounds halves away from zero
SIM_UNSIGNED(__vavgu, (x + y + 1) >> 1)
SIM_UNSIGNED(__vhaddu, (x + y) >> 1)
SIM_SIGNED(__vmaxs, x < y ? y : x)
SIM_UNSIGNED(__vmaxu, x < y ? y : x)
SIM_SIGNED(__vmins, y < x ? y : x)
SIM_UNSIGNED(__vminu, y < x ? y : x)
SIM_COMPARE(eq, UNSIGNED, ==)
SIM_COMPARE(ne, UNSIGNED, !=)
SIM_COMPARE(ges, SIGNED, >=)
SIM_COMPARE(gts, SIGNED, >)
SIM_COMPARE(les, SIGNED, <=)
SIM_COMPARE(lts, SIGNED, <)
SIM_COMPARE(geu, UNSIGNED, >=)
SIM_COMPARE(gtu, UNSIGNED, >)
SIM_COMPARE(leu, UNSIGNED, <=)
SIM_COMPARE(ltu, UNSIGNED, <)
SIM_SUM_OF(2, signed short, __vsads)
SIM_SUM_OF(4, signed char, __vsads)
SIM_SUM_OF(2, unsigned short, __vsadu)
SIM_SUM_OF(4, unsigned char, __vsadu)
#undef SIM_COMPARE
#undef SIM_OF_ONE
#undef SIM_UNSIGNED
#undef SIM_SIGNED
#undef SIM_SUM_OF
#undef SIM_PART_OF
#undef SIM_PARTS_OF
