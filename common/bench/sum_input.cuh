/// @file
/// @brief The ints whose squares the programs of Part II add up, as the command line asks for them.
#pragma once

#include <climits>
#include <cstddef>
#include <string>
#include <vector>

#include "../cuda/device.cuh"
#include "../problem/input.hpp"
#include "options.hpp"

/// Ints by name.
struct NamedInts {
    const char* name;
    const char* what;
    std::vector<int> (*make)(std::size_t n, std::uint64_t seed);
};

/// Inputs from the article's to those whose squares overflow anything but 64 bits.
inline const std::vector<NamedInts>& named_ints() {
    static const std::vector<NamedInts> inputs = {
        {"article", "rand() % 10, the article's",
         [](std::size_t n, std::uint64_t) { return generate_data(n); }},
        {"random", "any int",
         [](std::size_t n, std::uint64_t seed) {
             std::mt19937_64 random(seed);
             std::vector<int> data(n);
             for (int& value : data) value = static_cast<int>(static_cast<std::int64_t>(random()) >> 32);
             return data;
         }},
        {"smallest", "INT_MIN only: each square is 2^62",
         [](std::size_t n, std::uint64_t) { return std::vector<int>(n, INT_MIN); }},
        {"alternating", "INT_MAX and -INT_MAX in turn",
         [](std::size_t n, std::uint64_t) {
             std::vector<int> data(n, INT_MAX);
             for (std::size_t i = 1; i < n; i += 2) data[i] = -INT_MAX;
             return data;
         }},
    };
    return inputs;
}

/// The programs of Part II: by default they add up the article's 1,048,576 squares.
inline ProgramKind sum_programs() {
    ProgramKind kind{"ints whose squares are added up", std::size_t{1} << 20, {}, false};
    for (const NamedInts& input : named_ints()) kind.inputs.push_back({input.name, input.what});
    return kind;
}

/// @brief Makes the ints.
/// @param[in] device Where they will be copied to.
/// @throws BadOption if there is no memory for so many.
inline std::vector<int> make_ints(const Options& options, const Device& device) {
    // The simulator's device memory is the host's. The first variants need twice the input besides.
    const std::size_t most = device.free_bytes / sizeof(int) / (device.simulated ? 4 : 3);
    if (options.n > most)
        throw BadOption("--n takes at most " + std::to_string(most) +
                        " ints, for which this device has memory, not " + std::to_string(options.n));
    for (const NamedInts& input : named_ints())
        if (options.input == input.name) return input.make(options.n, options.seed);
    throw BadOption("unknown input " + options.input);
}
