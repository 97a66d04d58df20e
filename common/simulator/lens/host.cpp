/// @file
/// @brief Each thread counts for itself, and adds its counts to the program's when it ends.
#include "host.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#ifndef __wasm__
#include <dlfcn.h>
#include <pthread.h>
#endif

namespace lens {
namespace {

std::mutex lock;
HostCounts all;
std::uint64_t begun = 0, existing = 0;  ///< threads besides the first one
constexpr std::uint64_t kMostDelayed = 32, kOften = 1000;
constinit thread_local unsigned int locks_held = 0;
const std::thread::id first = std::this_thread::get_id();

void note_existing(std::uint64_t threads) { all.at_once = std::max(all.at_once, threads); }

/// The stores at one address.
struct Stores {
    std::uint64_t all = 0, apart = 0;  ///< apart: none of the last three stores was at this address
    bool in_turn() const { return all >= kOften && apart >= all / 10 * 9; }  // nearly all
};

struct Thread {
    std::uint64_t accesses = 0, atomics = 0, with_lock = 0;
    std::array<const void*, 3> last_stores{};
    std::unordered_map<const void*, Stores> stores;

    /// Delays the first threads that begin, so that the program can start others before these end.
    Thread() {
        if (is_first()) return;
        {
            const std::lock_guard guard(lock);
            note_existing(++existing);
            if (++begun > kMostDelayed) return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ~Thread() {
        end();
        const std::lock_guard guard(lock);
        existing -= !is_first();
    }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    static bool is_first() { return std::this_thread::get_id() == first; }
    void end() {
        const std::lock_guard guard(lock);
        all.busiest_thread = std::max(all.busiest_thread, std::exchange(accesses, 0));
        all.atomics += std::exchange(atomics, 0);
        all.with_lock += std::exchange(with_lock, 0);
        const auto often = std::ranges::count_if(
            std::exchange(stores, {}), [](const auto& address) { return address.second.in_turn(); });
        all.in_turn = std::max(all.in_turn, static_cast<std::uint64_t>(often));
    }
};
thread_local Thread current;

}  // namespace

bool counts_host() {
    static const bool counts = std::getenv("LENS_HOST") != nullptr;
    return counts;
}

void host_access(const void* address, Kind kind) {
    ++current.accesses;
    current.with_lock += locks_held > 0;
    if (kind == Kind::load) return;
    current.atomics += kind == Kind::atomic;
    std::array<const void*, 3>& last = current.last_stores;
    Stores& stores = current.stores[address];
    ++stores.all;
    stores.apart += std::ranges::find(last, address) == last.end();
    last = {address, last[0], last[1]};
}

void host_thread_changes(std::size_t threads) {
    current.end();
    const std::lock_guard guard(lock);
    note_existing(threads);
}

HostCounts host_counts() {
    current.end();
    const std::lock_guard guard(lock);
    return all;
}

}  // namespace lens

#ifndef __wasm__
// These take the place of the C library's functions, and call them.
namespace {

using OfMutex = int(pthread_mutex_t*);
OfMutex* next(const char* function) { return reinterpret_cast<OfMutex*>(dlsym(RTLD_NEXT, function)); }

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static OfMutex* const lock = next("pthread_mutex_lock");
    const int status = lock(mutex);
    lens::locks_held += status == 0;
    return status;
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    static OfMutex* const try_lock = next("pthread_mutex_trylock");
    const int status = try_lock(mutex);
    lens::locks_held += status == 0;
    return status;
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
    static OfMutex* const unlock = next("pthread_mutex_unlock");
    const int status = unlock(mutex);
    lens::locks_held -= status == 0;
    return status;
}

/// Code compiled with `-fsanitize=object-size`, which gives local arrays an address, calls this for an access
/// outside of an array. Other programs find such accesses.
void __ubsan_handle_type_mismatch_v1(void*, void*) {}

}  // extern "C"
#endif
