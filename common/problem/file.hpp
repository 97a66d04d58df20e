/// @file
/// @brief Reads a file as input.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

/// @brief Reads all bytes of a file or a pipe.
/// @param[in] most_bytes The largest size of a regular file that fits in memory. A pipe may have half of it.
/// @throws std::invalid_argument if the file is missing, is neither a regular file nor a pipe, is too large,
///         or can't be read.
inline std::vector<unsigned char> read_file(const std::string& path, std::size_t most_bytes) {
    const auto reason = [&](const std::string& what) { return std::invalid_argument(path + ": " + what); };
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) throw reason(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw reason("is a directory, not a file");
    const bool is_pipe = S_ISFIFO(status.st_mode);
    if (!is_pipe && !S_ISREG(status.st_mode))
        throw reason("is a device or socket, not a regular file or a pipe");
    // Only reading a pipe may block: some files under /proc would block forever.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | (is_pipe ? 0 : O_NONBLOCK));
    if (file < 0) throw reason(std::strerror(errno));
    const struct Close {
        int file;
        ~Close() { close(file); }
    } close_at_the_end{file};
    const auto require_room = [&](std::size_t size) {
        if (size > most_bytes)
            throw reason("has " + std::to_string(size) + " bytes" + (is_pipe ? " or more" : "") +
                         ", but there is memory for only " + std::to_string(most_bytes));
    };
    if (is_pipe) most_bytes /= 2;  // a growing vector holds its old and new elements at once

    std::vector<unsigned char> bytes;
    const auto size = static_cast<std::size_t>(status.st_size);
    require_room(size);
    bytes.reserve(size);
    std::array<unsigned char, 1 << 16> piece;
    // Some files, such as those under /proc, hold more bytes than their size says.
    for (;;) {
        const ssize_t count = read(file, piece.data(), piece.size());
        if (count == 0) return bytes;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw reason(errno == EAGAIN ? "never ends" : std::strerror(errno));
        require_room(bytes.size() + static_cast<std::size_t>(count));
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + count);
    }
}
