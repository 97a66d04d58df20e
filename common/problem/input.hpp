/// @file
/// @brief The bytes to count: random, of a named distribution, or a file's.
///
/// The same seed gives the same bytes on every platform: the generator is the standard's
/// `mt19937_64`, taken apart by shifts, and no library's distribution is involved.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

/// Random bytes, eight from each draw.
class RandomBytes {
 public:
    /// The same seed gives the same bytes.
    explicit RandomBytes(std::uint64_t seed) : engine_(seed) {}

    /// The next byte: any value is as likely.
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
/// The function of this name in *CUDA by Example* (Sanders, Kandrot 2011), which A and D use. That
/// one draws from `rand()`, whose bytes differ between platforms.
inline std::vector<unsigned char> big_random_block(std::size_t n, std::uint64_t seed) {
    RandomBytes random(seed);
    std::vector<unsigned char> block(n);
    for (unsigned char& byte : block) byte = random.next();
    return block;
}

/// A distribution of bytes by name.
struct NamedInput {
    const char* name;
    const char* what;
    std::vector<unsigned char> (*make)(std::size_t n, std::uint64_t seed);
};

/// Inputs that treat a histogram's memory differently: from every bin alike to one bin only.
inline const std::vector<NamedInput>& named_inputs() {
    using Block = std::vector<unsigned char>;
    static const std::vector<NamedInput> inputs = {
        {"uniform", "every value is as likely", big_random_block},
        {"skewed", "each bit is set in one byte of eight; a third of the bytes are 0",
         [](std::size_t n, std::uint64_t seed) {
             RandomBytes random(seed);
             Block block(n);
             for (unsigned char& byte : block) byte = random.next() & random.next() & random.next();
             return block;
         }},
        {"constant", "one value only: all threads want one bin",
         [](std::size_t n, std::uint64_t) { return Block(n, 7); }},
        {"sorted", "0 to 255 in order: neighbours want one bin",
         [](std::size_t n, std::uint64_t) {
             Block block(n);
             for (std::size_t i = 0; i < n; ++i)
                 block[i] = static_cast<unsigned char>(static_cast<double>(i) / static_cast<double>(n) * 256);
             return block;
         }},
        {"one-hot", "one value for 90 % of the bytes, the others uniform",
         [](std::size_t n, std::uint64_t seed) {
             RandomBytes random(seed);
             Block block(n);
             for (unsigned char& byte : block) {
                 const bool hot = random.next() < 230;  // 230 of 256: 89.8 %
                 byte = hot ? 7 : random.next();
             }
             return block;
         }},
        {"bank-attack", "multiples of 32: all bins that are used lie in one bank of shared memory",
         [](std::size_t n, std::uint64_t seed) {
             Block block = big_random_block(n, seed);
             for (unsigned char& byte : block) byte &= 0xE0;
             return block;
         }},
    };
    return inputs;
}

/// @brief The bytes of a file, whatever its size.
/// @param[in] most_bytes What there is memory for.
/// @throws std::invalid_argument if it is missing, no regular file, too large, or can't be read.
inline std::vector<unsigned char> read_file(const std::string& path, std::size_t most_bytes) {
    struct stat status {};
    const auto reason = [&](const std::string& what) { return std::invalid_argument(path + ": " + what); };
    if (stat(path.c_str(), &status) != 0) throw reason(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw reason("is a directory, not a file");
    if (!S_ISREG(status.st_mode)) throw reason("is a device, pipe or socket, not a regular file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > most_bytes)
        throw reason("has " + std::to_string(size) + " bytes, and there is memory for " +
                     std::to_string(most_bytes));
    std::ifstream file(path, std::ios::binary);
    if (!file) throw reason(std::strerror(errno));
    std::vector<unsigned char> bytes(size);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    // Some files, those under /proc for one, hold more than the size they give.
    bytes.insert(bytes.end(), std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (file.bad()) throw reason("could not be read to its end");
    return bytes;
}

/// @brief `n` digits from 0 to 9, by the C library's `rand`, from its first number on.
///
/// With glibc, the squares of 1,048,576 of them add up to 29,909,398.
/// @par Source
/// `generateData` of C (Caijinping 2014), whose sum this is.
inline std::vector<int> generate_data(std::size_t n) {
    std::srand(1);  // the C standard's seed for a program that sets none
    std::vector<int> data(n);
    for (int& value : data) value = std::rand() % 10;
    return data;
}
