/// @file
/// @brief Each thread counts for itself, and adds its counts to the program's when it ends.
#include "host.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace lens {
namespace {

std::mutex lock;
HostCounts all;
std::uint64_t begun = 0, existing = 0;  ///< threads besides the first one
constexpr std::uint64_t kMostDelayed = 32;
const std::thread::id first = std::this_thread::get_id();

void note_existing(std::uint64_t threads) { all.at_once = std::max(all.at_once, threads); }

struct Thread {
    std::uint64_t accesses = 0, atomics = 0, repeats = 0;
    std::array<const void*, 3> last_stores{};

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
        all.repeats += std::exchange(repeats, 0);
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
    if (kind == Kind::load) return;
    current.atomics += kind == Kind::atomic;
    std::array<const void*, 3>& last = current.last_stores;
    current.repeats += std::ranges::find(last, address) != last.end();
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
