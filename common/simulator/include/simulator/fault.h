/// @file
/// @brief A kernel's fault as data, for programs that act on it.
#pragma once

#include <string>

namespace sim {

/// The kind of rule that a kernel has broken.
enum class FaultKind {
    address,      ///< a thread uses memory that it may not use, or an index outside of an array
    barrier,      ///< threads of a block have skipped a barrier, or wait at different ones
    deadlock,     ///< threads wait, and none of them can continue
    no_progress,  ///< a thread seems to loop forever, perhaps while it waits for another
    other
};

/// A kernel's fault. Texts that are not known are empty.
struct Fault {
    FaultKind kind = FaultKind::other;
    std::string kernel{}, launched_at{};    ///< `launched_at` and `line` have the form a.cu:7
    std::string block{}, thread{}, line{};  ///< `block` and `thread` have the form (0, 0, 0)
    std::string message{};                  ///< the whole message; empty if no kernel has failed

    /// Adds all members to a JSON object.
    template <typename Json>
    void write(Json& json) const {
        constexpr const char* kKinds[] = {"address", "barrier", "deadlock", "no progress", "other"};
        json.add("kind", kKinds[static_cast<int>(kind)], "kernel", kernel, "launched_at", launched_at)
            .add("block", block, "thread", thread, "line", line, "message", message);
    }
};

/// The fault whose message `last_fault` returns (launch.h). Unlike `last_fault`, this function does not count
/// as reading the message.
Fault fault();

}  // namespace sim
