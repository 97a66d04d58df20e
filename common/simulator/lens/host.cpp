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

namespace lens {
namespace {

std::mutex lock;
HostCounts all;
constexpr std::uint64_t kMostThatWait = 32, kOften = 1000;
const std::thread::id first = std::this_thread::get_id();
bool take_turns = false;  ///< whether threads run one after another, as in a browser

/// A number of stores after which each thread, except the first, waits for others. Threads that wait for each
/// other by any means, or start one after another, do not meet.
struct Meeting {
    std::uint64_t after;
    std::uint64_t came = 0, here = 0, most = 0;
    std::chrono::steady_clock::time_point last_came{};
};
std::array<Meeting, 3> meetings{{{1000}, {5000}, {20000}}};

/// Waits until no thread has come for a while.
void wait_at(Meeting& meeting) {
    constexpr std::chrono::milliseconds patience(50);
    std::unique_lock guard(lock);
    if (++meeting.came > kMostThatWait) return;
    meeting.most = std::max(meeting.most, ++meeting.here);
    const auto now = [] { return std::chrono::steady_clock::now(); };
    meeting.last_came = now();
    for (auto end = now(); now() < (end = meeting.last_came + patience);) {
        guard.unlock();
        std::this_thread::sleep_until(end);
        guard.lock();
    }
    --meeting.here;
}

/// The stores at one address.
struct Stores {
    std::uint64_t all = 0, apart = 0;  ///< apart: none of the last three stores was at this address
    bool in_turn() const { return all >= kOften && apart >= all / 10 * 9; }  // nearly all
};

struct Thread {
    std::uint64_t accesses = 0, atomics = 0, stored = 0;
    std::array<const void*, 3> last_stores{};
    std::unordered_map<const void*, Stores> stores;

    Thread() = default;
    ~Thread() { end(); }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    void end() {
        const std::lock_guard guard(lock);
        all.busiest_thread = std::max(all.busiest_thread, std::exchange(accesses, 0));
        all.atomics += std::exchange(atomics, 0);
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
    current.atomics += kind == Kind::atomic;
    if (kind == Kind::load) return;
    if (kind == Kind::store && ++current.stored <= meetings.back().after &&
        std::this_thread::get_id() != first && !take_turns)
        for (Meeting& each : meetings)
            if (current.stored == each.after) wait_at(each);
    std::array<const void*, 3>& last = current.last_stores;
    Stores& stores = current.stores[address];
    ++stores.all;
    stores.apart += std::ranges::find(last, address) == last.end();
    last = {address, last[0], last[1]};
}

void host_thread_changes(std::size_t threads) {
    current.end();
    take_turns = true;
    all.at_once = std::max<std::uint64_t>(all.at_once, threads);
}

HostCounts host_counts() {
    current.end();
    const std::lock_guard guard(lock);
    HostCounts counts = all;
    for (const Meeting& each : meetings)
        if (each.came > 0)
            counts.at_once = &each == &meetings.front() ? each.most : std::min(counts.at_once, each.most);
    return counts;
}

}  // namespace lens

#ifndef __wasm__
/// Code compiled with `-fsanitize=object-size`, which gives local arrays an address, calls this for an access
/// outside of an array. Other programs find such accesses.
extern "C" void __ubsan_handle_type_mismatch_v1(void*, void*) {}
#endif
