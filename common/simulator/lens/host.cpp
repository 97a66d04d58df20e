/// @file
/// @brief Each thread counts for itself, and adds its counts to the others' when it ends.
#include "host.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace lens {
namespace {

std::mutex lock;
HostCounts all;

struct Thread {
    std::uint64_t accesses = 0, atomics = 0, repeats = 0;
    std::array<const void*, 3> last_stores{};
    Thread() = default;
    ~Thread() { end(); }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

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

void host_thread_ends() { current.end(); }

HostCounts host_counts() {
    current.end();
    const std::lock_guard guard(lock);
    return all;
}

}  // namespace lens
