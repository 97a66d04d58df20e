/// @file
/// @brief All that the simulator needs from the operating system and the processor, beyond the C++ library.
///
/// A platform is a folder that defines these functions, such as `linux/`. Everything else is portable C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sim::platform {

// --- Memory -------------------------------------------------------------------------------------

std::size_t page_bytes();
std::size_t memory_bytes();       ///< all of this machine's
std::size_t free_memory_bytes();  ///< available without swapping

/// Whether the process has memory at an address.
bool has_memory(const void* address);

enum class Access { none, read, all };
/// Sets which accesses to whole pages are allowed; any other access traps.
/// @return Whether the system could do this.
bool protect(char* pages, std::size_t bytes, Access access);
/// Returns the memory of some pages to the system but keeps their addresses.
void discard(char* pages, std::size_t bytes);

/// Memory from the operating system, inaccessible at first, and zero until it is written to.
class Pages {
 public:
    /// @throws std::bad_alloc.
    explicit Pages(std::size_t bytes);
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    char* data() const { return data_; }

 private:
    char* const data_;
    const std::size_t bytes_;
};

struct Range {
    char *begin, *end;
};
/// The program's variables, `__device__` ones among them.
Range variables();
/// The variables declared as `__managed__`; two equal addresses if there are none.
Range managed_variables();
/// The pages of the managed variables; none if something else is on these pages.
Range managed_pages();

// --- Contexts: calls that can be suspended and resumed --------------------------------------------

/// Where a call resumes: its stack and registers.
using Context = void*;
/// What a call receives when it starts or resumes.
struct Switched {
    Context from;  ///< the call that was suspended for it
    void* data;
};
/// @param[in] top   The upper end of the stack, at a multiple of 16.
/// @param[in] enter The function that runs there. It must not return.
Context make_context(char* top, void (*enter)(Context from, void* data));
/// Suspends the running call and starts or resumes another one. Returns when a call switches back to this
/// one. It has C linkage because the platform Linux defines it in assembly.
extern "C" Switched sim_switch_context(Context to, void* data);
/// Calls `work`, which switches to other calls many times. On a platform where a switch takes longer the
/// deeper the stack is, `work` runs on a stack of its own.
void call_apart(const std::function<void()>& work);

// --- Traps: accesses and instructions that the processor refuses ----------------------------------

/// What the processor has refused. `no_address`: an access whose address is not known, since it is misaligned
/// or invalid.
enum class Trap { address, no_address, division, illegal_instruction, abort };
/// What `handle_trap` has found: that the access is allowed now, and is to be repeated; that host code has
/// trapped, for a reason that it does not know; or that host code has trapped, and it has printed why.
enum class Handled { repeat_it, no, and_explained };

/// From now on, until `release_traps`, traps call `handle_trap` and ticks call `handle_tick`. If called
/// again, replaces handlers that the program has set in the meantime.
void catch_traps();
void release_traps();

/// The stack on which the traps of one OS thread are handled, since the stack in use may be full.
class TrapStack {
 public:
    TrapStack();
    ~TrapStack();
    TrapStack(const TrapStack&) = delete;
    TrapStack& operator=(const TrapStack&) = delete;

    void begin();  ///< the calling OS thread uses this stack from now on
    void end();
    /// Called right before the calling OS thread leaves its handler without returning, if it is in one: all
    /// of the stack's frames are dead.
    static void forget();

 private:
    struct Previous;
    char* const bytes_;
    Previous* const previous_;
};

// --- Time, other threads, output ------------------------------------------------------------------

/// During the object's lifetime, `handle_tick` is called on the OS thread that created it, `per_second` times
/// per second of the thread's CPU time (in a browser, of wall-clock time).
class Ticks {
 public:
    explicit Ticks(unsigned int per_second);
    ~Ticks();
    Ticks(const Ticks&) = delete;
    Ticks& operator=(const Ticks&) = delete;

 private:
    void* timer_ = nullptr;
};

/// How many OS threads may run at the same time.
std::size_t most_threads();
/// Whether the program has started OS threads that still run.
bool has_other_threads();
bool is_debugged();  ///< whether a debugger may stop threads for any length of time
bool is_terminal();  ///< whether standard error is a terminal
std::string host_name();
/// Writes two texts to standard output, one directly after the other, whatever other threads print.
void print(std::string_view first, std::string_view second);

// --- What a platform calls ----------------------------------------------------------------------------

/// Handles a trap. In a kernel, returns only if the access may be repeated.
/// @param[in] address Null if it is unknown.
Handled handle_trap(Trap trap, const void* address);
/// Ends the program after `handle_trap` has returned `Handled::and_explained`. On Linux, not called if the
/// program has its own handler for the signal, which runs instead.
[[noreturn]] void end_after_cpu_fault();
void handle_tick();
/// Called when the program has used up its time. Prints a message, unless a kernel runs.
void handle_time_limit();
/// Called when host code continues as another thread, on a platform whose threads share their `thread_local`
/// variables.
/// @param[in] threads How many threads exist besides the first one.
void handle_thread_change(std::size_t threads);
/// Called when code goes back to the start of a loop and has accessed nothing since its last branch, on a
/// platform whose instrumented code reports this (in a browser).
void handle_iteration_end(const void* at);
/// Whether the calling OS thread runs a kernel. In a kernel, a platform replaces `clock` by `device_clock`
/// (kernel.h).
bool is_in_kernel();

}  // namespace sim::platform
