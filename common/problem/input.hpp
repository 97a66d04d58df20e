/// @file
/// @brief Inputs: bytes and ints from named distributions.
///
/// Except in `generate_data`, a seed gives the same input on every platform: bits of the standard's
/// `mt19937_64` are shifted into place, because standard libraries differ in their distributions.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

/// Uniformly distributed bytes, eight per random number.
class RandomBytes {
 public:
    /// @param[in] seed The same seed gives the same bytes.
    explicit RandomBytes(std::uint64_t seed) : engine_(seed) {}

    /// @return The next byte; all values are equally likely.
    unsigned char next() {
        if (left_ == 0) {
            bits_ = engine_();
            left_ = 8;
        }
        const auto byte = static_cast<unsigned char>(bits_);
        bits_ >>= 8;
        --left_;
        return byte;
    }

 private:
    std::mt19937_64 engine_;
    std::uint64_t bits_ = 0;
    int left_ = 0;
};

/// @brief `n` uniformly distributed bytes.
/// @par Source
/// The function with this name in *CUDA by Example* (Sanders, Kandrot 2011), which A and D use. The
/// book's calls `rand()`, whose numbers differ between platforms.
inline std::vector<unsigned char> big_random_block(std::size_t n, std::uint64_t seed) {
    RandomBytes random(seed);
    std::vector<unsigned char> block(n);
    for (unsigned char& byte : block) byte = random.next();
    return block;
}

/// An input that `--input` can name.
template <typename T>
struct NamedInput {
    const char* name;
    const char* what;
    std::function<std::vector<T>(std::size_t n, std::uint64_t seed)> make;
};

/// Inputs that spread additions differently over the bins, from all bins equally to a single bin.
inline const std::vector<NamedInput<unsigned char>>& named_bytes() {
    using Block = std::vector<unsigned char>;
    static const std::vector<NamedInput<unsigned char>> inputs = {
        {"uniform", "all values are equally likely", big_random_block},
        {"skewed", "each bit is 1 with a probability of 1/8; a third of the bytes are 0",
         [](std::size_t n, std::uint64_t seed) {
             RandomBytes random(seed);
             Block block(n);
             for (unsigned char& byte : block) byte = random.next() & random.next() & random.next();
             return block;
         }},
        {"constant", "a single value: all threads add to one bin",
         [](std::size_t n, std::uint64_t) { return Block(n, 7); }},
        {"sorted", "0 to 255 in order: neighbouring threads add to one bin",
         [](std::size_t n, std::uint64_t) {
             Block block(n);
             const auto first = [&](std::size_t value) { return block.data() + (n * value + 255) / 256; };
             for (std::size_t value = 0; value < 256; ++value)
                 std::fill(first(value), first(value + 1), static_cast<unsigned char>(value));
             return block;
         }},
        {"one-hot", "90 % of the bytes have one value, the others are uniform",
         [](std::size_t n, std::uint64_t seed) {
             RandomBytes random(seed);
             Block block(n);
             for (unsigned char& byte : block) {
                 const bool hot = random.next() < 230;  // 230 of 256: 89.8 %
                 byte = hot ? 7 : random.next();
             }
             return block;
         }},
        {"bank-attack", "multiples of 32: all bins in use are in one bank of shared memory",
         [](std::size_t n, std::uint64_t seed) {
             Block block = big_random_block(n, seed);
             for (unsigned char& byte : block) byte &= 0xE0;
             return block;
         }},
    };
    return inputs;
}

/// @brief `n` digits from 0 to 9: the first `n` numbers of the C library's `rand`, modulo 10.
///
/// With glibc, the squares of 1,048,576 of them add up to 29,909,398.
/// @par Source
/// `generateData` of C (Caijinping 2014), which prints this sum.
inline std::vector<int> generate_data(std::size_t n) {
    std::srand(1);  // the C standard's default seed
    std::vector<int> data(n);
    for (int& value : data) value = std::rand() % 10;
    return data;
}

/// Inputs: the article's, and others whose squares need 64 bits.
inline const std::vector<NamedInput<int>>& named_ints() {
    static const std::vector<NamedInput<int>> inputs = {
        {"article", "rand() % 10, as in the article",
         [](std::size_t n, std::uint64_t) { return generate_data(n); }},
        {"random", "all int values are equally likely",
         [](std::size_t n, std::uint64_t seed) {
             std::mt19937_64 random(seed);
             std::vector<int> data(n);
             for (int& value : data) value = static_cast<int>(static_cast<std::int64_t>(random()) >> 32);
             return data;
         }},
        {"smallest", "INT_MIN only: each square is 2^62",
         [](std::size_t n, std::uint64_t) { return std::vector<int>(n, INT_MIN); }},
        {"alternating", "INT_MAX and -INT_MAX alternately",
         [](std::size_t n, std::uint64_t) {
             std::vector<int> data(n, INT_MAX);
             for (std::size_t i = 1; i < n; i += 2) data[i] = -INT_MAX;
             return data;
         }},
    };
    return inputs;
}
