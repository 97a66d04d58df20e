/// @file
/// @brief Web: traps, time, and threads of a module that has one thread.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <vector>

#include <pthread.h>

#include "../../include/cuda_runtime.h"
#include "../access_site.hpp"
#include "../platform.hpp"
#include "host.hpp"

namespace sim::platform {

std::size_t most_threads() { return 1; }
bool has_other_threads() { return false; }
bool is_debugged() { return false; }
bool is_terminal() { return false; }
std::string host_name() { return "browser"; }
void print(std::string_view first, std::string_view second) {
    for (const std::string_view part : {first, second}) std::fwrite(part.data(), 1, part.size(), stdout);
}

// --- Traps -----------------------------------------------------------------------------------------

void catch_traps() {}
void release_traps() {}
struct TrapStack::Previous {};
TrapStack::TrapStack() : bytes_(nullptr), previous_(nullptr) {}
TrapStack::~TrapStack() = default;
void TrapStack::begin() {}
void TrapStack::end() {}
void TrapStack::forget() {}

void trap(int number) {
    const Trap trap = number == kDivided   ? Trap::division
                      : number == kAborted ? Trap::abort
                                           : Trap::no_address;
    if (handle_trap(trap, nullptr) == Handled::and_explained) std::_Exit(1);
    end_by_signal(number);
}

// --- Ticks: instrumented code calls often enough ---------------------------------------------------

namespace {

/// Of time, not of the processor's: a browser may run several times more slowly than a program on Linux.
constexpr double kMostSeconds = 120;
constexpr int kOutOfTime = 24;  ///< the number of a signal, as on Linux

double seconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
const double begun = seconds_now();
double seconds_per_tick = 0;  // 0 without ticks
double next_tick = 0;

}  // namespace

Ticks::Ticks(unsigned int per_second) { seconds_per_tick = 1.0 / per_second; }
Ticks::~Ticks() { seconds_per_tick = 0; }

/// Called by instrumented code before it repeats a loop.
extern "C" void sim_repeats(const void* site) {
    static unsigned int turns = 0;
    if (++turns % 1024 != 0) return;
    note_site(site);
    const double now = seconds_now();
    if (now - begun > kMostSeconds) {
        handle_time_limit();
        end_by_signal(kOutOfTime);
    }
    if (seconds_per_tick == 0 || now < next_tick) return;
    next_tick = now + seconds_per_tick;
    handle_tick();
}

}  // namespace sim::platform

// --- Random numbers: those of the GNU C library, from which the articles' results follow ------------

namespace {
/// Each number is the sum of those 3 and 31 before it, without its lowest bit.
struct Random {
    static constexpr unsigned int kLong = 31, kShort = 3, kLeftOut = 310;
    std::uint32_t last[kLong]{};
    unsigned int at = 0;

    explicit Random(unsigned int seed) {
        std::int64_t number = seed == 0 ? 1 : static_cast<std::int32_t>(seed);
        for (std::uint32_t& each : last) {
            each = static_cast<std::uint32_t>(number);
            number = 16807 * number % 2147483647;
            if (number < 0) number += 2147483647;
        }
        for (unsigned int i = 0; i < kLeftOut; ++i) next();
    }
    int next() {
        std::uint32_t& sum = last[(at + kShort) % kLong];
        sum += last[at];
        at = (at + 1) % kLong;
        return static_cast<int>(sum >> 1);
    }
} numbers{1};
}  // namespace

extern "C" int rand() { return numbers.next(); }
extern "C" void srand(unsigned int seed) { numbers = Random(seed); }

// --- Threads: each runs when it is created, until it ends ------------------------------------------

namespace {
struct AtExit {
    void (*destroy)(void*);
    void* object;
};
std::vector<AtExit>& at_thread_exit() {
    static auto& all = *new std::vector<AtExit>;
    return all;
}
}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*run)(void*), void* argument) {
    static std::size_t created = 0;
    *thread = reinterpret_cast<pthread_t>(++created);
    std::vector<AtExit> before;
    before.swap(at_thread_exit());
    sim::platform::handle_thread_change();
    run(argument);
    sim::platform::handle_thread_change();
    for (std::vector<AtExit>& own = at_thread_exit(); !own.empty();) {
        const AtExit last = own.back();
        own.pop_back();
        last.destroy(last.object);
    }
    at_thread_exit().swap(before);
    return 0;
}
int pthread_join(pthread_t, void**) { return 0; }
int pthread_detach(pthread_t) { return 0; }
int pthread_mutex_lock(pthread_mutex_t*) { return 0; }
int pthread_mutex_trylock(pthread_mutex_t*) { return 0; }
int pthread_mutex_unlock(pthread_mutex_t*) { return 0; }

int __cxa_thread_atexit(void (*destroy)(void*), void* object, void*) {
    at_thread_exit().push_back({destroy, object});
    return 0;
}
}
