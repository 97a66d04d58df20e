/// @file
/// @brief Kernels that make no progress: a worker's timer, and what happens at its signals.
#include "watchdog.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../grid/worker.hpp"

namespace sim {
namespace {

constexpr unsigned int kSlowTicks = 20;  ///< after so many, a grid says that it still runs

/// After so many waits per thread, another one is no progress: a loop with a barrier may be endless.
constexpr std::uint64_t kMostWaits = 100'000;

}  // namespace

/// A signal may arrive at any instruction. Only a thread that is running the kernel is stopped here; one that
/// waits is stopped by `begin_wait`.
void Worker::look_at_progress() {
    ++progress_.ticks;
    const std::uint64_t begun =
        block_serial * (2 * kMaxThreadsPerBlock) + threads_.started + (threads_.count - threads_.live);
    if (begun != progress_.begun) progress_.waits_before = progress_.waits;
    const std::uint64_t waits =
        std::min(progress_.waits - progress_.waits_before, kMostWaits * threads_.count);
    const bool is_new = begun != progress_.begun || waits != progress_.seen_waits;
    progress_.ticks_since = is_new ? 0 : progress_.ticks_since + 1;
    progress_.begun = begun;
    progress_.seen_waits = waits;
    if (!threads_.in_kernel) return;

    if (progress_.ticks >= kSlowTicks && !grid_->said_slow.exchange(true))
        std::fprintf(stderr, "simulator: %s still runs: %llu of its %llu blocks have begun\n",
                     launch_text(grid_->kernel).c_str(),
                     static_cast<unsigned long long>(std::min(grid_->next_block.load(), grid_->blocks)),
                     static_cast<unsigned long long>(grid_->blocks));
    trap_stack_.forget();
    stop_if_due();
}

/// Stops the running thread if another worker, for which this one may be waiting, has failed, or if this one
/// makes no progress.
void Worker::stop_if_due() {
    if (grid_->failed) {
        threads_.in_kernel = false;
        faulted_ = true;
        fibers_.give_up();
    }
    if (gets_nowhere()) stop_without_progress();
}

bool Worker::gets_nowhere() {
    if (progress_.ticks_since < kTicks) return false;
    if (!platform::is_debugged()) return true;
    progress_.ticks_since = 0;
    return false;
}

void Worker::stop_without_progress() {
    const InSimulator here(*this);
    const std::string seconds = "for " + std::to_string(grid_->timeout) + " s ";
    const bool waits = progress_.seen_waits == kMostWaits * threads_.count;
    record_thread_fault(
        FaultKind::no_progress, cudaErrorLaunchTimeout,
        "makes no progress: " +
            (waits ? "the threads of its block have waited for each other " + std::to_string(kMostWaits) +
                         " times, and " + seconds + "none has returned. They may loop forever"
                   : seconds + "it has neither returned nor reached a barrier. It may be waiting for a "
                               "thread that can't run before it waits or returns, or loop forever") +
            (grid_->advises ? " (CUDA_SIM_TIMEOUT sets the seconds)" : ""));
    fibers_.give_up();
}

// --- Output -------------------------------------------------------------------------------------

void Worker::print(std::string_view text, std::string_view end) {
    const InSimulator here(*this);
    platform::print(text, end);
}

static int print_values(const char* format, va_list values) {
    Worker* const worker = running_worker;
    if (worker == nullptr) return std::vprintf(format, values);
    char* text = nullptr;
    int bytes = 0;
    {
        const Worker::InSimulator here(*worker);  // memory is allocated under a lock, too
        bytes = vasprintf(&text, format, values);
    }
    if (bytes < 0) return bytes;
    worker->print({text, static_cast<std::size_t>(bytes)});
    {
        const Worker::InSimulator here(*worker);
        std::free(text);
    }
    worker->stop_if_due();
    return bytes;
}

}  // namespace sim

// These replace the C library's functions. A compiler may turn the first one into one of the others.

extern "C" int printf(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int bytes = sim::print_values(format, values);
    va_end(values);
    return bytes;
}

/// `printf` where a compiler defines _FORTIFY_SOURCE, as Ubuntu's does.
extern "C" int checked_printf(int, const char* format, ...) __asm__("__printf_chk");
int checked_printf(int, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int bytes = sim::print_values(format, values);
    va_end(values);
    return bytes;
}

extern "C" int puts(const char* s) {
    if (sim::running_worker == nullptr) return std::fputs(s, stdout) < 0 ? EOF : std::fputc('\n', stdout);
    sim::running_worker->print(s, "\n");
    sim::running_worker->stop_if_due();
    return 1;
}

/// `putchar`, which <cstdio> may define inline.
extern "C" int print_character(int c) __asm__("putchar");
int print_character(int c) {
    if (sim::running_worker == nullptr) return std::fputc(c, stdout);
    const char text = static_cast<char>(c);
    sim::running_worker->print({&text, 1});
    sim::running_worker->stop_if_due();
    return c;
}
