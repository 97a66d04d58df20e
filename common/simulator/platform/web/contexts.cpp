/// @file
/// @brief Web: switching between calls, by Binaryen's Asyncify, which unwinds a suspended call into a buffer
/// and rewinds it from there.
///
/// WebAssembly's own stack can't be switched. Therefore, `sim_switch_context` unwinds all calls up to
/// `go_on`, which then enters another context or rewinds its calls. Functions that call Asyncify's own
/// functions, as those here do, are not instrumented by Asyncify.
#include <cstdint>
#include <functional>
#include <iterator>
#include <new>

#include "../platform.hpp"
#include "../sizes.hpp"
#include "host.hpp"

extern "C" {
int __main_void();
[[clang::import_module("asyncify"), clang::import_name("start_unwind")]] void start_unwind(void*);
[[clang::import_module("asyncify"), clang::import_name("stop_unwind")]] void stop_unwind();
[[clang::import_module("asyncify"), clang::import_name("start_rewind")]] void start_rewind(void*);
[[clang::import_module("asyncify"), clang::import_name("stop_rewind")]] void stop_rewind();
}

namespace sim::platform {
namespace {

enum class Calls { run, unwind, rewind } calls = Calls::run;

/// A call that is suspended or has not begun.
struct WebContext {
    std::uintptr_t next, end;  ///< read by Asyncify: the unused part of the buffer
    std::uintptr_t stack;      ///< the stack pointer, for variables whose address is taken
    bool has_begun;
    char* buffer;
    void (*enter)(Context from, void* data);
};

constexpr std::size_t kBufferBytes = 8 * 1024;
char own_buffer[64 * 1024];
WebContext own{0, reinterpret_cast<std::uintptr_t>(std::end(own_buffer)), 0, true, own_buffer, nullptr};

WebContext *running = &own, *left_for = nullptr;
Switched passed{};              ///< what the next call to run receives
bool is_left_for_good = false;  ///< whether the last call was left by a trap, without unwinding

struct {
    int (*without)();
    int (*with)(int, char**);
    int count;
    char** words;
} entry{};

void set_stack_pointer(std::uintptr_t value) {
    asm volatile(".globaltype __stack_pointer, i32\nlocal.get %0\nglobal.set __stack_pointer" : : "r"(value));
}
std::uintptr_t stack_pointer() {
    std::uintptr_t value = 0;
    asm volatile(".globaltype __stack_pointer, i32\nglobal.get __stack_pointer\nlocal.set %0" : "=r"(value));
    return value;
}

[[gnu::noinline]] int call_entry() {
    return entry.without != nullptr ? entry.without() : entry.with(entry.count, entry.words);
}

void take_over() {
    running = left_for;
    set_stack_pointer(running->stack);
    calls = running->has_begun ? Calls::rewind : Calls::run;
    running->has_begun = true;
    if (calls == Calls::rewind) start_rewind(running);
}

/// The outermost call on the stack: runs contexts until main returns.
/// @param[in] signal The signal of the trap that ended the last call; 0 if no trap has ended one.
/// @return What main returns.
[[gnu::noinline]] int go_on(int signal) {
    if (is_left_for_good) {
        is_left_for_good = false;
        take_over();
        signal = 0;
    }
    for (;; signal = 0) {
        int status = 0;
        if (signal != 0)
            trap(signal);
        else if (running == &own)
            status = call_entry();
        else
            running->enter(passed.from, passed.data);
        if (calls != Calls::unwind) return status;
        stop_unwind();
        take_over();
    }
}

}  // namespace

/// Puts the context and its buffer at the top of the stack, and lets the call use what is below them.
Context make_context(char* top, void (*enter)(Context from, void* data)) {
    char* const context = top - sizeof(WebContext);
    char* const buffer = context - kBufferBytes;
    return new (context) WebContext{0,
                                    reinterpret_cast<std::uintptr_t>(context),
                                    reinterpret_cast<std::uintptr_t>(buffer) / 16 * 16,
                                    false,
                                    buffer,
                                    enter};
}

extern "C" [[gnu::noinline]] Switched sim_switch_context(Context to, void* data) {
    if (calls == Calls::rewind) {
        calls = Calls::run;
        stop_rewind();
        return passed;
    }
    left_for = static_cast<WebContext*>(to);
    passed = {running, data};
    if (data == nullptr) {
        is_left_for_good = true;
        __builtin_trap();
    }
    running->stack = stack_pointer();
    running->next = reinterpret_cast<std::uintptr_t>(running->buffer);
    calls = Calls::unwind;
    start_unwind(running);
    return {};
}

void call_apart(const std::function<void()>& work) {
    alignas(16) static char stack[kOwnStackBytes + kBufferBytes];
    const auto enter = [](Context from, void* work) {
        (*static_cast<const std::function<void()>*>(work))();
        sim_switch_context(from, &from);  // the context never returns from here
    };
    sim_switch_context(make_context(std::end(stack), enter), const_cast<std::function<void()>*>(&work));
}

/// Called by the host: runs a main function, or the module's own if both pointers are null.
extern "C" [[clang::export_name("sim_run")]] int sim_run(int (*without)(), int (*with)(int, char**),
                                                         int count, char** words) {
    entry = {without == nullptr && with == nullptr ? __main_void : without, with, count, words};
    return go_on(0);
}

/// Called by the host after WebAssembly has refused an instruction, in place of the call that executed it.
extern "C" [[clang::export_name("sim_go_on")]] int sim_go_on(int signal) { return go_on(signal); }

}  // namespace sim::platform
