/// @file
/// @brief cuRAND's functions for kernels. The numbers differ from a GPU's, but have the same distributions.
#pragma once

#include "../prelude.h"

/// SplitMix64, a 64-bit generator that can skip ahead, in place of each of cuRAND's generators.
struct curandStateXORWOW {
    std::uint64_t state = 0;
    float next_normal = 0;
    bool has_next_normal = false;
};
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandStateXORWOW_t = curandStateXORWOW;
// Types of their own, because programs overload functions for them.
struct curandStatePhilox4_32_10 : curandStateXORWOW {};
struct curandStateMRG32k3a : curandStateXORWOW {};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandStateMRG32k3a_t = curandStateMRG32k3a;

namespace sim {
constexpr std::uint64_t kRandomStep = 0x9e3779b97f4a7c15;
inline std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
inline std::uint64_t random_bits(curandState* s) { return mixed(s->state += kRandomStep); }
}  // namespace sim

inline void skipahead(unsigned long long count, curandState* s) { s->state += count * sim::kRandomStep; }
inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                        curandState* s) {
    *s = {};
    s->state = sim::mixed(sim::mixed(seed) + sequence * 0xd1342543de82ef95);
    skipahead(offset, s);
}
inline unsigned int curand(curandState* s) { return static_cast<unsigned int>(sim::random_bits(s) >> 32); }
/// A number in (0, 1], as cuRAND returns.
inline float curand_uniform(curandState* s) {
    return static_cast<float>((sim::random_bits(s) >> 40) + 1) / 16777216.0f;
}
inline double curand_uniform_double(curandState* s) {
    return static_cast<double>((sim::random_bits(s) >> 11) + 1) / 9007199254740992.0;
}
inline double2 curand_normal2_double(curandState* s) {
    const double radius = sqrt(-2 * log(curand_uniform_double(s)));
    const double angle = 6.283185307179586 * curand_uniform_double(s);
    return {radius * cos(angle), radius * sin(angle)};
}
inline double curand_normal_double(curandState* s) { return curand_normal2_double(s).x; }
inline float2 curand_normal2(curandState* s) {
    const double2 both = curand_normal2_double(s);
    return {static_cast<float>(both.x), static_cast<float>(both.y)};
}
inline float curand_normal(curandState* s) {
    if (s->has_next_normal) return s->has_next_normal = false, s->next_normal;
    const float2 both = curand_normal2(s);
    s->next_normal = both.y;
    s->has_next_normal = true;
    return both.x;
}
inline float curand_log_normal(curandState* s, float mean, float deviation) {
    return expf(mean + deviation * curand_normal(s));
}
inline float4 curand_uniform4(curandState* s) {
    return {curand_uniform(s), curand_uniform(s), curand_uniform(s), curand_uniform(s)};
}
inline float4 curand_normal4(curandState* s) {
    return {curand_normal(s), curand_normal(s), curand_normal(s), curand_normal(s)};
}
inline uint4 curand4(curandState* s) { return {curand(s), curand(s), curand(s), curand(s)}; }
inline unsigned int curand_poisson(curandState* s, double mean) {
    unsigned int count = 0;
    for (; mean > 500; mean -= 500) count += curand_poisson(s, 500);  // exp(-mean) would underflow
    for (double product = curand_uniform_double(s); product > exp(-mean); ++count)
        product *= curand_uniform_double(s);
    return count;
}

#include "curand.h"  // as in cuRAND: programs that include this header also use the host's functions
