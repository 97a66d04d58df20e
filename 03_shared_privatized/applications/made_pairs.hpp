/// @file
/// @brief Pairs of numbers to count, made by name. The same seed gives the same ones on every platform.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "pairs.hpp"

namespace made_detail {

/// A number from -2 to 2, about normally distributed: a draw's four 16-bit pieces added up. A multiple of
/// 2^-16, so that nothing that follows is rounded.
inline float bell(std::uint64_t draw) {
    const std::uint64_t sum = (draw & 0xffff) + (draw >> 16 & 0xffff) + (draw >> 32 & 0xffff) + (draw >> 48);
    return (static_cast<float>(sum) - 131070) * 0x1p-16f;
}

/// A number from 0 to 1, without 1.
inline float fraction(std::uint64_t draw) { return static_cast<float>(draw >> 40) * 0x1p-24f; }

}  // namespace made_detail

/// A distribution of pairs by name.
struct NamedPairs {
    const char* name;
    const char* what;
    void (*make)(std::mt19937_64& random, float& first, float& second);
};

/// Inputs that treat a histogram's memory differently: from every bin alike to one bin only.
inline const std::vector<NamedPairs>& named_pairs() {
    using Random = std::mt19937_64;
    static const std::vector<NamedPairs> inputs = {
        {"clouds", "two clouds that overlap: one round, one along a line",
         [](Random& random, float& first, float& second) {
             const float a = made_detail::bell(random()), b = made_detail::bell(random());
             const bool round = random() >> 63 != 0;
             first = round ? 0.5f * a - 0.25f : a + 0.5f;
             second = round ? 0.5f * b + 0.25f : 0.75f * a + 0.25f * b - 0.25f;
         }},
        {"uniform", "from 0 to 1, each place as likely",
         [](Random& random, float& first, float& second) {
             first = made_detail::fraction(random());
             second = made_detail::fraction(random());
         }},
        {"constant", "one place only: all threads want one bin",
         [](Random&, float& first, float& second) { first = second = 0.3f; }},
    };
    return inputs;
}

/// @brief `n` pairs of one of the `named_pairs`.
/// @throws std::invalid_argument for a name that is not among them.
inline Pairs<float> make_pairs(const std::string& name, std::size_t n, std::uint64_t seed) {
    for (const NamedPairs& input : named_pairs()) {
        if (name != input.name) continue;
        Pairs<float> pairs{"x", "y", std::vector<float>(n), std::vector<float>(n)};
        std::mt19937_64 random(seed);
        for (std::size_t i = 0; i < n; ++i) input.make(random, pairs.first[i], pairs.second[i]);
        return pairs;
    }
    throw std::invalid_argument("no input " + name);
}

/// Weights of two kinds for the same values.
struct MadeWeights {
    std::vector<int> whole;     ///< from 0 to 2^24 - 1
    std::vector<float> spread;  ///< from 0 to 1, and of very different sizes: halved up to 31 times
};

/// `n` weights of each kind; the same seed gives the same ones.
inline MadeWeights make_weights(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(~seed);
    MadeWeights weights{std::vector<int>(n), std::vector<float>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t draw = random();
        weights.whole[i] = static_cast<int>(draw >> 40);
        weights.spread[i] =
            std::ldexp(static_cast<float>(weights.whole[i]), -24 - static_cast<int>(draw % 32));
    }
    return weights;
}
