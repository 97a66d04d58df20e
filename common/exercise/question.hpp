/// @file
/// @brief What the checks ask a student's process, and what it answers, over a socket: one call of a variant
/// each time.
///
/// A question is followed by the elements, the results and the workspace as they are before the call; an
/// answer by the results and the workspace as they are after it, and by the texts of an error.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// One call of a variant.
struct Question {
    std::uint64_t number;              ///< random: the answer must repeat it
    std::uint64_t n;                   ///< elements
    std::uint64_t offset;              ///< elements from an aligned address to the input
    std::uint64_t workspace;           ///< the workspace's size in numbers, including the redzone
    std::uint32_t grid, block;         ///< the launch shape
    std::uint32_t is_more;             ///< whether the exercise's further check is called
    std::uint32_t forbids_early_exit;  ///< CUDA_SIM_EARLY_EXIT is 0
    std::uint32_t ends_only;           ///< CUDA_SIM_ENDS is 2
};

/// The exception that a call threw.
enum class Thrown : std::uint32_t { nothing, unnoticed, cuda, other };

/// How a call ended.
struct Answer {
    std::uint64_t number;  ///< the question's number
    Thrown thrown;
    std::uint32_t fault_kind;   ///< a sim::FaultKind
    std::uint32_t text_length;  ///< the length of all `kTexts`, with zeros between them
};

constexpr std::size_t kTexts = 7;             ///< an error's words, and the texts of a kernel's fault
constexpr std::uint32_t kMostText = 1 << 14;  ///< bytes of an answer's texts
/// If host memory has more than `kMostSent` elements, all are 0 except `kEnds` at each end, and only these
/// are sent. For code for the CPU, and if only a grid's ends run, the elements are in host memory.
constexpr std::size_t kMostSent = std::size_t{1} << 28, kEnds = 64;

/// The descriptor of this process's end of the socket; -1 if there is none.
inline int socket_descriptor() {
    const char* const descriptor = std::getenv("COURSE_SOCKET");
    return descriptor != nullptr ? std::atoi(descriptor) : -1;
}

/// Reads or writes all bytes of a range. @return Whether it succeeded: false if the other process has ended.
template <typename Transfer, typename Byte>
bool transfer_all(Transfer transfer, Byte* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t done = transfer(socket_descriptor(), bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        size -= static_cast<std::size_t>(done);
    }
    return true;
}
inline bool receive(void* bytes, std::size_t size) {
    return transfer_all(read, static_cast<char*>(bytes), size);
}
inline bool send(const void* bytes, std::size_t size) {
    return transfer_all(write, static_cast<const char*>(bytes), size);
}
