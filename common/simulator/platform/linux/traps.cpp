/// @file
/// @brief Linux: traps are signals, and so are ticks (ticks.cpp).
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "../platform.hpp"
#include "../sanitizer.hpp"
#include "ticks.hpp"

namespace sim::platform {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, kTick};
/// The handlers that were set before the program has set any: those of a sanitizer, or none.
struct sigaction first_actions[std::size(kSignals)];
struct sigaction previous_actions[std::size(kSignals)];
bool handed_on[std::size(kSignals)];

[[gnu::constructor(101)]] void keep_first_actions() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], nullptr, &first_actions[i]);
}

/// Hands a trap on to the program. When our handler returns, the program repeats the instruction, and the
/// handler that was set before ours runs. If the same signal is handed on again, perhaps because of that
/// handler, the default action ends the program.
void hand_on(std::size_t i) {
    struct sigaction nothing {};
    nothing.sa_handler = SIG_DFL;
    sigaction(kSignals[i], handed_on[i] ? &nothing : &previous_actions[i], nullptr);
    handed_on[i] = true;
}

Trap trap_of(int signal, const siginfo_t& info) {
    if (signal == SIGFPE) return Trap::division;
    if (signal == SIGILL || signal == SIGTRAP)
        return Trap::illegal_instruction;  // x86 raises the first, Arm the second
    if (signal == SIGABRT) return Trap::abort;
    // An x86 CPU does not report the address of some accesses. A signal from a process has no address.
    const bool has_address = signal == SIGSEGV && info.si_code > 0 && info.si_code != SI_KERNEL;
    return has_address ? Trap::address : Trap::no_address;
}

void on_signal(int signal, siginfo_t* info, void*) {
    if (signal == kTick) return handle_tick();
    const Trap trap = trap_of(signal, *info);
    const Handled handled = handle_trap(trap, trap == Trap::address ? info->si_addr : nullptr);
    if (handled == Handled::repeat_it) return;
    const auto i =
        static_cast<std::size_t>(std::find(std::begin(kSignals), std::end(kSignals), signal) - kSignals);
    const auto handler = previous_actions[i].sa_sigaction;
    const bool is_programs =
        previous_actions[i].sa_handler != SIG_DFL && handler != first_actions[i].sa_sigaction;
    if (handled == Handled::and_explained && !is_programs) end_after_cpu_fault();
    hand_on(i);
    if (info->si_code <= 0) raise(signal);  // a signal that was sent does not recur by itself
}

/// The handler runs when the program has reached its limit of CPU time, and again every second. Host code
/// ends with a message that names its line. A kernel may run on until the fourth signal.
[[maybe_unused]] const auto kBeforeLimit = signal(SIGXCPU, [](int) {
    static std::atomic<int> signals = 0;
    alarm(10);  // ends a process that waits for its own lock on memory here
    handle_time_limit();
    if (!is_in_kernel()) {
        signal(SIGXCPU, SIG_DFL);
        raise(SIGXCPU);  // takes effect when this handler returns
        return;
    }
    alarm(0);
    if (++signals == 3) signal(SIGXCPU, SIG_DFL);
});

bool is_ours(const struct sigaction& action) { return action.sa_sigaction == on_signal; }

constexpr std::size_t kStackBytes = 256 * 1024;

}  // namespace

void catch_traps() {
    struct sigaction ours {};
    struct sigaction current {};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], nullptr, &current);
        if (is_ours(current)) continue;
        previous_actions[i] = current;
        handed_on[i] = false;
        sigaction(kSignals[i], &ours, nullptr);
    }
}

void release_traps() {
    struct sigaction current {};
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], nullptr, &current);
        if (is_ours(current)) sigaction(kSignals[i], &previous_actions[i], nullptr);
    }
}

// --- The stack of the handlers ------------------------------------------------------------------

struct TrapStack::Previous {
    stack_t stack{};
};

TrapStack::TrapStack() : bytes_(new char[kStackBytes]()), previous_(new Previous) {}
TrapStack::~TrapStack() {
    delete[] bytes_;
    delete previous_;
}

void TrapStack::begin() {
    stack_t ours{};
    ours.ss_sp = bytes_;
    ours.ss_size = kStackBytes;
    sigaltstack(&ours, &previous_->stack);
}
void TrapStack::end() { sigaltstack(&previous_->stack, nullptr); }
void TrapStack::forget() {
    stack_t ours{};
    sigaltstack(nullptr, &ours);
    __asan_unpoison_memory_region(ours.ss_sp, ours.ss_size);
}

}  // namespace sim::platform
