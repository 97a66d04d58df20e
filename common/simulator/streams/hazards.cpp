/// @file
/// @brief Missing waits between streams, and between a stream and the host.
#include "hazards.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "../memory/device_memory.hpp"
#include "../memory/redzones.hpp"
#include "../platform/platform.hpp"
#include "unawaited.hpp"

namespace sim {
namespace {

constexpr const char* kUnordered = ": no event or wait orders the two";

bool is_host(const Use& use) { return place(use.begin, use.bytes) == Place::outside; }

std::string operation_text(const Operation& operation) {
    const std::string line = operation.calls.line();
    return operation.call + (" in " + stream_text(operation.stream)) +
           (line.empty() ? "" : " (" + line + ")");
}

std::string address_text(const void* address) {
    const std::string text = allocation_text(address);
    return text.empty() ? pinned_text(address) : text;
}

/// Memory that is protected because an operation uses it.
struct Guard {
    Use use;
    const Operation* by;
    std::shared_ptr<Operation> kept{};  // the same as `by`, which it keeps alive
    const char* end = nullptr;          // `pinned_end`, for host memory
    bool lifted = false;
};

// Signal handlers use what follows.
auto& guard_lock = *new std::recursive_mutex;
auto& host_guards = *new std::vector<Guard>;
auto& grid_guards = *new std::vector<Guard>;
const Operation* running_kernel = nullptr;
auto& unordered = *new std::vector<const Operation*>;  // copies that are not ordered with the running kernel
auto& concurrent = *new Concurrency;
auto& unchanged = *new std::vector<Operation*>;  // pending copies whose bytes the host has not changed

bool is_unordered(const Operation* copy) {
    return std::find(unordered.begin(), unordered.end(), copy) != unordered.end();
}

/// Protects all pages that contain a byte of a range or, if `whole`, only those that are entirely inside it.
void protect(const Use& range, platform::Access access, bool whole) {
    char* begin = page_of(whole ? range.begin + platform::page_bytes() - 1 : range.begin);
    char* const end = page_of(range.begin + range.bytes + (whole ? 0 : platform::page_bytes() - 1));
    if (begin < end) platform::protect(begin, static_cast<std::size_t>(end - begin), access);
}

void protect_host(Guard& guard, bool lift) {
    const Use all{guard.use.begin, static_cast<std::size_t>(guard.end - guard.use.begin), true};
    protect(all, lift ? platform::Access::all : platform::Access::none, true);
    guard.lifted = lift;
}

/// Ends the protection of the host memory that an operation uses, until `restore_guards`.
void lift_guards(const Operation& operation) {
    for (Guard& guard : host_guards)
        if (std::any_of(operation.uses.begin(), operation.uses.end(),
                        [&](const Use& use) { return use.overlaps(guard.use); }))
            protect_host(guard, true);
}

void restore_guards() {
    for (Guard& guard : host_guards)
        if (guard.lifted && !guard.by->done) protect_host(guard, false);
}

/// A hash of the host memory that a copy reads.
std::size_t contents(const Operation& copy) {
    const std::lock_guard lock(guard_lock);
    lift_guards(copy);  // a later copy may write there
    std::size_t result = 0;
    for (const Use& use : copy.uses) forget_shared(use.begin, use.bytes);
    for (const Use& use : copy.uses)
        if (!use.writes) result ^= std::hash<std::string_view>{}(std::string_view(use.begin, use.bytes));
    restore_guards();
    return result;
}

std::string read_text(const Operation& copy) {
    for (const Use& use : copy.uses)
        if (!use.writes) return operation_text(copy) + " reads " + pinned_text(use.begin);
    return "";
}

/// Which accesses a page has been opened to, since the accesses that trapped were to bytes that no copy uses.
enum class Opened { no, to_read, yes };
auto& opened = *new std::map<char*, Opened>;
unsigned int grids = 0;

bool grid_passes(const void* address) {
    const Use page{page_of(address), platform::page_bytes(), false};
    bool is_guarded = false, is_read = false, is_written = false, hides = false;
    for (const Guard& guard : grid_guards) {
        if (!guard.use.overlaps(page)) continue;
        is_guarded = true;
        hides = hides || guard.use.writes;
        if (guard.use.has(address)) (guard.use.writes ? is_written : is_read) = true;
    }
    if (!is_guarded) return false;
    char* const begin = page_of(address);
    Opened& state = opened.try_emplace(begin, hides ? Opened::no : Opened::to_read).first->second;
    // Another thread may have opened the page in the meantime. An access is known to be a store only if it
    // traps twice in a row in the same thread: the second time, the page is open to loads.
    thread_local std::pair<const char*, unsigned int> tried;
    const std::pair<const char*, unsigned int> now{begin, grids};
    if (state == Opened::yes) return true;
    if (state == Opened::no) {
        if (is_written) return false;
        state = Opened::to_read;
        platform::protect(begin, page.bytes, platform::Access::read);
    } else if (tried == now) {
        if (is_read || is_written) return false;
        state = Opened::yes;
        platform::protect(begin, page.bytes, platform::Access::all);
    }
    tried = now;
    return true;
}

}  // namespace

std::string stream_text(std::uintptr_t stream) {
    return stream < kFirstStream ? "the default stream"
                                 : "stream " + std::to_string(stream - kFirstStream + 1);
}

std::string conflict_text(const Operation& copy, const Operations& others) {
    for (const auto& other : others) {
        if (copy.is_ordered(*other)) continue;
        for (const Use& ours : copy.uses)
            for (const Use& theirs : other->uses) {
                if (!ours.overlaps(theirs) || !(ours.writes || theirs.writes)) continue;
                return operation_text(copy) + (ours.writes ? " writes " : " reads ") +
                       address_text(std::max(ours.begin, theirs.begin)) + ", which " +
                       operation_text(*other) + (theirs.writes ? " writes" : " reads") + kUnordered;
            }
    }
    return "";
}

void watch_host(const std::shared_ptr<Operation>& copy, const Operations& others) {
    for (const Use& use : copy->uses) {
        if (!is_host(use)) continue;
        if (use.writes) {
            const std::lock_guard lock(guard_lock);
            platform::catch_traps();
            host_guards.push_back({use, copy.get(), copy, pinned_end(use)});
            protect_host(host_guards.back(), false);
            continue;
        }
        // An earlier copy may have to write the bytes first.
        copy->watches = std::none_of(others.begin(), others.end(), [&](const auto& other) {
            return !other->done &&
                   std::any_of(other->uses.begin(), other->uses.end(),
                               [&](const Use& theirs) { return theirs.writes && theirs.overlaps(use); });
        });
        if (copy->watches) copy->contents = contents(*copy);
    }
}

std::string run_watched(Operation& operation) {
    std::string wrong;
    if (operation.watches && contents(operation) != operation.contents)
        wrong = read_text(operation) + ", which the host has changed without waiting for this copy";
    {
        const std::lock_guard lock(guard_lock);
        lift_guards(operation);
    }
    operation.run();
    operation.done = true;
    const std::lock_guard lock(guard_lock);
    restore_guards();
    host_guards.erase(std::remove_if(host_guards.begin(), host_guards.end(),
                                     [](const Guard& guard) { return guard.by->done; }),
                      host_guards.end());
    return wrong;
}

// --- Kernels ------------------------------------------------------------------------------------

const Concurrency& concurrency() { return concurrent; }

void begin_kernel(const Operation& kernel, const Operations& others) {
    running_kernel = &kernel;
    concurrent = {kernel.number, kernel.stream};
    for (const auto& other : others) {
        if (other->is_kernel && other.get() != &kernel && !other->is_ordered(kernel)) {
            if (other->done)
                concurrent.done.push_back(other->number);
            else
                ++concurrent.to_come;
        }
        if (!other->uses.empty() && !other->is_ordered(kernel)) unordered.push_back(other.get());
        if (!other->done && other->watches && contents(*other) == other->contents)
            unchanged.push_back(other.get());
    }
}

std::string end_kernel() {
    std::string wrong;
    for (Operation* const copy : unchanged) {
        const std::size_t now = contents(*copy);
        if (now != copy->contents && is_unordered(copy))
            wrong = read_text(*copy) + ", which " + operation_text(*running_kernel) + " writes" + kUnordered;
        copy->contents = now;
    }
    running_kernel = nullptr;
    concurrent = {};
    unordered.clear();
    unchanged.clear();
    return wrong;
}

void guard_grid(bool (*is_reachable)(const void* address)) {
    const std::lock_guard lock(guard_lock);
    ++grids;
    for (const Operation* const operation : unordered)
        for (const Use& use : operation->uses)
            if (is_reachable(use.begin)) grid_guards.push_back({use, operation});
    for (const bool writes : {false, true})
        for (const Guard& guard : grid_guards)
            if (guard.use.writes == writes)
                protect(guard.use, writes ? platform::Access::none : platform::Access::read, false);
}

bool release_grid() {
    const std::lock_guard lock(guard_lock);
    opened.clear();
    return !std::exchange(grid_guards, {}).empty();
}

bool is_used_by_copies(const Use& range) {
    const std::lock_guard lock(guard_lock);
    return std::any_of(host_guards.begin(), host_guards.end(),
                       [&](const Guard& guard) { return guard.use.overlaps(range); }) ||
           std::any_of(unordered.begin(), unordered.end(), [&](const Operation* copy) {
               return std::any_of(copy->uses.begin(), copy->uses.end(),
                                  [&](const Use& use) { return use.overlaps(range); });
           });
}

// --- Accesses -----------------------------------------------------------------------------------

bool let_pass(const void* address, bool by_kernel) {
    const std::lock_guard lock(guard_lock);
    if (by_kernel && grid_passes(address)) return true;
    for (Guard& guard : host_guards) {
        if (address < guard.use.begin || address >= guard.end) continue;
        if (guard.use.has(address) && (!by_kernel || is_unordered(guard.by))) return false;
        protect_host(guard, true);
        return true;
    }
    return false;
}

std::string copy_text(const void* address, bool by_kernel) {
    const std::lock_guard lock(guard_lock);
    std::vector<Guard> guards = host_guards;
    if (by_kernel) guards.insert(guards.end(), grid_guards.begin(), grid_guards.end());
    for (const Guard& guard : guards) {
        if (!guard.use.has(address) || (by_kernel && !is_unordered(guard.by))) continue;
        return ", which " + operation_text(*guard.by) + (guard.use.writes ? " writes: " : " reads: ") +
               (by_kernel
                    ? "no event or wait orders it and this kernel in " + stream_text(running_kernel->stream)
                    : "the host has not waited for it");
    }
    return "";
}

}  // namespace sim
