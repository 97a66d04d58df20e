/// @file
/// @brief A kernel's fault as data, for programs that act on it.
#pragma once

#include <string>

namespace sim {

/// What kind of rule a kernel has broken.
enum class FaultKind {
    address,      ///< the thread uses memory that it may not use, or an index that an array does not have
    barrier,      ///< threads of a block have skipped a barrier, or wait at different ones
    deadlock,     ///< all threads wait
    no_progress,  ///< a thread loops forever, or waits for what can't happen
    other
};

/// A kernel's fault. Texts are empty where something is not known.
struct Fault {
    FaultKind kind = FaultKind::other;
    std::string kernel{}, launched_at{};    ///< `launched_at` and `line` are a file and a number, a.cu:7
    std::string block{}, thread{}, line{};  ///< the indices as in (0, 0, 0)
    std::string message{};                  ///< for users, all of this; empty if no kernel has failed

    /// Adds all members to an object of JSON.
    template <typename Json>
    void write(Json& json) const {
        constexpr const char* kKinds[] = {"address", "barrier", "deadlock", "no progress", "other"};
        json.add("kind", kKinds[static_cast<int>(kind)], "kernel", kernel, "launched_at", launched_at)
            .add("block", block, "thread", thread, "line", line, "message", message);
    }
};

/// The last kernel's fault whose message `last_fault` returns. Does not count as reading the message.
Fault fault();

}  // namespace sim
