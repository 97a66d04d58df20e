/// @file
/// @brief Web: traps, time, and host threads, which take turns in a module that has one thread.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

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
    if (handle_trap(trap, nullptr) == Handled::and_explained) end_after_cpu_fault();
    end_by_signal(number);
}

// --- Ticks: made when instrumented code repeats a loop ----------------------------------------------

namespace {

/// How long the program may run or, if it announces cases (`sim_begins_case`), each case, in seconds of
/// wall-clock time. In a browser, a program may be several times slower than on Linux.
const double most_seconds = [] {
    const char* const setting = std::getenv("CUDA_SIM_SECONDS");
    return setting == nullptr ? 120.0 : std::atof(setting);
}();
constexpr int kOutOfTime = 24;  ///< the number of a signal, as on Linux

double seconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double begun = seconds_now();
double seconds_per_tick = 0;  // 0 without ticks
double next_tick = 0;

}  // namespace

Ticks::Ticks(unsigned int per_second) { seconds_per_tick = 1.0 / per_second; }
Ticks::~Ticks() { seconds_per_tick = 0; }

void require_time() {
    if (seconds_now() - begun <= most_seconds) return;
    handle_time_limit();
    end_by_signal(kOutOfTime);
}

/// Called by the host when the program has announced its next case (common/exercise/verdict.cu).
extern "C" [[clang::export_name("sim_begins_case")]] void sim_begins_case() { begun = seconds_now(); }

/// Called by instrumented code before it repeats a loop.
/// @param[in] has_accessed Whether there was an access since the last branch.
extern "C" void sim_repeats(const void* site, bool has_accessed) {
    if (!has_accessed) handle_iteration_end(site);
    static unsigned int turns = 0;
    if (++turns % 1024 != 0) return;
    note_site(site);
    require_time();
    const double now = seconds_now();
    if (seconds_per_tick == 0 || now < next_tick) return;
    next_tick = now + seconds_per_tick;
    handle_tick();
}

}  // namespace sim::platform

// --- Random numbers: those of the GNU C library, on which the articles' results depend --------------

namespace {
/// Each number is the sum of the numbers 3 and 31 places before it. `next` returns it without its lowest bit.
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

// --- Threads: one runs until it waits or yields, then the next one -------------------------------

namespace {

/// A thread of host code. All threads have the same `thread_local` variables.
struct CpuThread {
    struct AtExit {
        void (*destroy)(void*);
        void* object;
    };

    sim::platform::Context context = nullptr;  ///< where it continues; null before it has begun
    void* (*run)(void*) = nullptr;
    void* argument = nullptr;
    char* stack = nullptr;  ///< while it runs
    bool has_ended = false, is_detached = false;
    std::vector<AtExit> at_exit{};
};

constexpr std::size_t kStackBytes = 256 * 1024;

struct CpuThreads {
    CpuThread main{};
    CpuThread *current = &main, *left = nullptr;
    std::deque<CpuThread*> ready{};
    std::vector<char*> free_stacks{};
    /// While a mutex is held, a yield does nothing, so no thread ever has to wait for a mutex.
    int held_mutexes = 0;
};
CpuThreads& threads() {
    static auto& all = *new CpuThreads;
    return all;
}

void free_if_forgotten(CpuThread* thread) {
    if (thread->has_ended && thread->is_detached) delete thread;
}

void arrive(sim::platform::Context from) {
    CpuThreads& all = threads();
    all.left->context = from;
    sim::platform::handle_thread_change(all.ready.size());  // all but the current thread
    if (all.left->has_ended) all.free_stacks.push_back(all.left->stack);
    free_if_forgotten(all.left);
}

void begin_thread(sim::platform::Context from, void*);

/// Gives a thread a stack, if possible that of a thread that has ended: a program may start thousands.
void prepare(CpuThread& thread) {
    CpuThreads& all = threads();
    if (all.free_stacks.empty()) {
        auto* const stack = static_cast<char*>(std::aligned_alloc(16, kStackBytes));
        if (stack == nullptr) throw std::bad_alloc();
        all.free_stacks.push_back(stack);
    }
    thread.stack = all.free_stacks.back();
    all.free_stacks.pop_back();
    thread.context = sim::platform::make_context(thread.stack + kStackBytes, begin_thread);
}

/// Continues the thread that has waited longest. Unless the calling thread has ended, it joins the end of the
/// queue.
void give_way() {
    CpuThreads& all = threads();
    if (all.ready.empty()) return;
    CpuThread& next = *all.ready.front();
    if (next.context == nullptr) prepare(next);
    if (!all.current->has_ended) all.ready.push_back(all.current);
    all.left = std::exchange(all.current, &next);
    all.ready.pop_front();
    arrive(sim::platform::sim_switch_context(next.context, &all).from);
}

void begin_thread(sim::platform::Context from, void*) {
    arrive(from);
    CpuThread& own = *threads().current;
    own.run(own.argument);
    while (!own.at_exit.empty()) {
        const CpuThread::AtExit last = own.at_exit.back();
        own.at_exit.pop_back();
        last.destroy(last.object);
    }
    own.has_ended = true;
    give_way();  // switches to another thread, at least the main one, and does not return
}

/// Lets other threads run until a condition holds. Ends the program if its time is used up.
template <typename Condition>
void wait_until(Condition condition) {
    while (!condition()) {
        give_way();
        sim::platform::require_time();
    }
}

unsigned int& signals_of(pthread_cond_t* condition) { return *reinterpret_cast<unsigned int*>(condition); }

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*run)(void*), void* argument) {
    auto* const created = new CpuThread{.run = run, .argument = argument};
    threads().ready.push_back(created);
    *thread = reinterpret_cast<pthread_t>(created);
    return 0;
}
int pthread_join(pthread_t joined, void**) {
    auto* const thread = reinterpret_cast<CpuThread*>(joined);
    wait_until([=] { return thread->has_ended; });
    return pthread_detach(joined);
}
int pthread_detach(pthread_t detached) {
    auto* const thread = reinterpret_cast<CpuThread*>(detached);
    thread->is_detached = true;
    free_if_forgotten(thread);
    return 0;
}
pthread_t pthread_self() { return reinterpret_cast<pthread_t>(threads().current); }
int sched_yield() {
    if (threads().held_mutexes == 0) give_way();
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t*) { return ++threads().held_mutexes, 0; }
int pthread_mutex_trylock(pthread_mutex_t*) { return ++threads().held_mutexes, 0; }
int pthread_mutex_unlock(pthread_mutex_t*) { return --threads().held_mutexes, 0; }

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    const unsigned int before = signals_of(condition);
    pthread_mutex_unlock(mutex);
    wait_until([=] { return signals_of(condition) != before; });
    return pthread_mutex_lock(mutex);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
    const unsigned int before = signals_of(condition);
    bool is_late = false;
    pthread_mutex_unlock(mutex);
    wait_until([&] {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        is_late =
            now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
        return signals_of(condition) != before || is_late;
    });
    pthread_mutex_lock(mutex);
    return signals_of(condition) != before ? 0 : ETIMEDOUT;
}
int pthread_cond_signal(pthread_cond_t* condition) { return pthread_cond_broadcast(condition); }
int pthread_cond_broadcast(pthread_cond_t* condition) { return ++signals_of(condition), 0; }

int __cxa_thread_atexit(void (*destroy)(void*), void* object, void*) {
    threads().current->at_exit.push_back({destroy, object});
    return 0;
}
}
