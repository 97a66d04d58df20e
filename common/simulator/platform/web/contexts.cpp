/// @file
/// @brief Web: switching between calls, by Binaryen's Asyncify: a call that is left unwinds into a buffer,
/// and is rewound from it.
///
/// WebAssembly's own stack can't be switched. So `sim_switch_context` is the host's
/// (tools/workbench/host.mjs): it has all calls return up to the host, which then calls `sim_enter`, or has
/// the other calls entered again.
#include <cstdint>
#include <iterator>
#include <new>

#include "../platform.hpp"
#include "../sizes.hpp"

namespace sim::platform {
namespace {

/// What the host knows of a call that is left or has not begun. The layout is the host's, too.
struct WebContext {
    std::uintptr_t next, end;  ///< of its buffer: what Asyncify reads
    std::uintptr_t stack;      ///< the stack pointer; of the variables whose address is taken
    std::uintptr_t has_begun;
    std::uintptr_t begin;  ///< of its buffer
    void (*enter)(Switched);
};

constexpr std::size_t kBufferBytes = 8 * 1024;

}  // namespace

/// At the top of the stack are its context and its buffer.
Context make_context(char* top, void (*enter)(Switched)) {
    char* const context = top - sizeof(WebContext);
    char* const buffer = context - kBufferBytes;
    const auto address_of = [](const char* place) { return reinterpret_cast<std::uintptr_t>(place); };
    return new (context) WebContext{
        address_of(buffer), address_of(context), address_of(buffer) / 16 * 16, 0, address_of(buffer), enter};
}

void call_apart(const std::function<void()>& work) {
    alignas(16) static char stack[kOwnStackBytes + kBufferBytes];
    const auto enter = [](Switched from) {
        (*static_cast<const std::function<void()>*>(from.data))();
        sim_switch_context(from.from, &from);  // which it does not leave again
    };
    sim_switch_context(make_context(std::end(stack), enter), const_cast<std::function<void()>*>(&work));
}

/// Called by the host on a new stack.
extern "C" [[clang::export_name("sim_enter")]] void sim_enter(WebContext* context, Context from, void* data) {
    context->enter({from, data});
}

}  // namespace sim::platform
