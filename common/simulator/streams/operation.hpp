/// @file
/// @brief Work in a stream: the memory that it uses, and the work that it comes after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "../platform/source_lines.hpp"

namespace sim {

/// Default streams have their device's number; numbers of created streams begin here.
constexpr std::uintptr_t kFirstStream = 0x100;

/// A point in the order of all work: for each stream, the number of the last operation that comes before this
/// point. All earlier operations of the stream also come before it.
using Clock = std::map<std::uintptr_t, std::uint64_t>;

/// The bytes that an operation reads or writes.
struct Use {
    const char* begin;
    std::size_t bytes;
    bool writes;

    bool has(const void* at) const {
        return static_cast<std::size_t>(static_cast<const char*>(at) - begin) < bytes;
    }
    bool overlaps(const Use& other) const { return has(other.begin) || other.has(begin); }
};

/// An operation's place among all others.
struct Work {
    std::uintptr_t stream;
    std::uint64_t number;

    bool is_in(const Clock& clock) const {
        const auto last = clock.find(stream);
        return last != clock.end() && number <= last->second;
    }
};

/// A call that has been enqueued in a stream.
struct Operation {
    const char* call;         ///< the function's name
    std::vector<Use> uses{};  ///< empty for kernels, whose accesses are seen when they run
    std::function<void()> run{};
    bool is_kernel = false;

    // Set when it is enqueued:
    std::uintptr_t stream = 0;
    std::uint64_t number = 0;  ///< counts the operations of all streams
    Clock before{};            ///< the operations that it comes after
    bool done = false;
    bool watches = false;      ///< whether the host memory that it reads must not change until it is done
    std::size_t contents = 0;  ///< a hash of that memory
    Calls calls{};

    bool is_in(const Clock& clock) const { return Work{stream, number}.is_in(clock); }
    /// Whether one of two operations comes before the other.
    bool is_ordered(const Operation& other) const { return is_in(other.before) || other.is_in(before); }
};

}  // namespace sim
