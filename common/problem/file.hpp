/// @file
/// @brief A file's bytes as the input.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

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
