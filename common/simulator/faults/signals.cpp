/// @file
/// @brief Signal handlers: they decide whether a fault is a kernel's or the program's own.
#include "signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>

#include "../grid/worker.hpp"
#include "../memory/device_memory.hpp"
#include "../streams/hazards.hpp"
#include "errors.hpp"
#include "source_lines.hpp"

namespace sim {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, kTick};
struct sigaction previous_actions[std::size(kSignals)];
bool handed_on[std::size(kSignals)];

/// The program's own fault. When the handler returns, the program repeats it, and the handler that was set
/// before ours runs. The second time, perhaps caused by that handler, nothing handles the fault.
void hand_on(std::size_t i) {
    struct sigaction nothing {};
    nothing.sa_handler = SIG_DFL;
    sigaction(kSignals[i], handed_on[i] ? &nothing : &previous_actions[i], nullptr);
    handed_on[i] = true;
}

void on_signal(int signal, siginfo_t* info, void*) {
    if (signal == kTick) {
        if (running_worker != nullptr) running_worker->look_at_progress();
        return;
    }
    const bool is_access = signal == SIGSEGV && info->si_code > 0;
    if (is_access && let_pass(info->si_addr, running_worker != nullptr)) return;
    if (running_worker != nullptr) running_worker->fault_by_signal(signal, *info);
    tell_fault();  // the program may end here
    std::size_t i = 0;
    while (kSignals[i] != signal) ++i;
    const std::string copy = is_access ? copy_text(info->si_addr, false) : "";
    const std::string place = is_access && copy.empty() ? allocation_text(info->si_addr) : "";
    if (!copy.empty()) tell_cpu_fault(pinned_text(info->si_addr) + copy);
    if (!place.empty())
        std::fprintf(stderr,
                     "simulator: the CPU uses %s. Device memory is for kernels, launched with <<<grid, "
                     "block>>>; the CPU accesses it with cudaMemcpy and cudaMemset\n",
                     place.c_str());
    if ((!copy.empty() || !place.empty()) && previous_actions[i].sa_handler == SIG_DFL) _exit(1);
    hand_on(i);
    if (info->si_code <= 0) raise(signal);  // a signal that was sent does not recur by itself
}

/// A limit of CPU time ends the CPU's own code at a line. While a kernel runs, up to two more signals are
/// awaited, which come one second apart.
[[maybe_unused]] const auto kBeforeLimit = signal(SIGXCPU, [](int) {
    static std::atomic<int> signals = 0;
    alarm(10);  // ends a process that waits for its own lock on memory here
    if (running_worker == nullptr) fail_on_cpu("more CPU time than it may: an endless loop?");
    alarm(0);
    if (++signals == 3) signal(SIGXCPU, SIG_DFL);
});

bool is_ours(const struct sigaction& action) { return action.sa_sigaction == on_signal; }

}  // namespace

void catch_signals() {
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

void release_signals() {
    struct sigaction current {};
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], nullptr, &current);
        if (is_ours(current)) sigaction(kSignals[i], &previous_actions[i], nullptr);
    }
}

}  // namespace sim
