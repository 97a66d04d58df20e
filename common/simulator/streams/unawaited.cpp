/// @file
/// @brief Missing waits of the host for kernels that use memory which both share.
#include "unawaited.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "../faults/errors.hpp"
#include "../faults/report.hpp"
#include "../memory/redzones.hpp"
#include "simulator/cooperation.h"
#include "streams.hpp"

namespace sim {
namespace {

/// Limits on the cost of watching: for each range of pages in a grid; for the launches at a source line; for
/// all grids together.
constexpr std::size_t kMostPagesAtOnce = 64, kMostPages = 1024, kMostTraps = 64;
constexpr unsigned int kMostLaunches = 32;
constexpr std::size_t kMostUnawaited = 32, kMostUnawaitedBytes = std::size_t{64} << 20;

/// Pages that were opened together, at a grid's first access to the first of them.
struct Opening {
    std::size_t bytes;
    const char* used;            ///< a byte that the grid has used
    const char* stored{};        ///< a byte that it has written, or null
    std::vector<char> before{};  ///< the bytes before the first write
};

/// A range of pages that the running grid may use.
struct Watched {
    platform::Range range;
    std::map<char*, Opening> openings{};
    std::size_t traps = 0, pages = 0;
    char* next = nullptr;  ///< the end of the last opening
    std::size_t last = 0;  ///< how many pages the last opening had
};

/// The memory that a grid has used, until the host waits for it.
struct Uses {
    Work work;
    Kernel kernel;
    std::vector<std::pair<char*, std::vector<char>>> written{};  ///< pages; a byte that is not 0 has changed
    std::vector<const char*> used{};
    std::set<char*> opened{};  ///< pages that the host may use again

    std::size_t bytes() const {
        std::size_t result = 0;
        for (const auto& [begin, changed] : written) result += changed.size();
        return result;
    }
    bool has_written(const void* at) const {
        return std::any_of(written.begin(), written.end(), [=](const auto& pages) {
            const auto offset = static_cast<std::size_t>(static_cast<const char*>(at) - pages.first);
            return offset < pages.second.size() && pages.second[offset] != 0;
        });
    }
    bool has_used(const void* at) const { return std::find(used.begin(), used.end(), at) != used.end(); }
    /// Whether the grid has written to a page.
    bool hides(const char* page) const {
        return std::any_of(written.begin(), written.end(), [=](const auto& pages) {
            return page >= pages.first && page < pages.first + pages.second.size();
        });
    }
    bool guards(char* page) const {
        return opened.count(page) == 0 &&
               (hides(page) ||
                std::any_of(used.begin(), used.end(), [=](const char* at) { return page_of(at) == page; }));
    }
};

// Signal handlers use what follows.
auto& shared_lock = *new std::recursive_mutex;
auto& watched = *new std::vector<Watched>;  // the running grid's
Kernel watched_kernel{};
unsigned int watched_grids = 0;
auto& unawaited = *new std::deque<Uses>;
auto& opened_to_read = *new std::set<char*>;  // pages that a grid has written and the host has read since
auto& launches = *new std::map<std::pair<const char*, int>, unsigned int>;
bool is_shared_at_any_time = false;
auto& printed = *new std::map<std::pair<const char*, int>, std::pair<Work, Kernel>>;  // by their lines

/// Copies pages. AddressSanitizer would object to the redzones in them.
[[gnu::no_sanitize_address]] void copy_pages(const char* from, std::size_t bytes, std::vector<char>& to) {
    to.resize(bytes);
    const auto* const words = reinterpret_cast<const volatile std::uint64_t*>(from);
    auto* const copies = reinterpret_cast<std::uint64_t*>(to.data());
    for (std::size_t i = 0; i < bytes / sizeof(*words); ++i) copies[i] = words[i];
}

Watched* watched_around(const void* address) {
    const char* const at = static_cast<const char*>(address);
    for (Watched& each : watched)
        if (at >= each.range.begin && at < each.range.end) return &each;
    return nullptr;
}

/// Opens the page of an address to loads. If the grid uses the pages in order, opens more of them each time.
void open_to_read(Watched& all, char* page, const char* address) {
    const std::size_t bytes = platform::page_bytes();
    std::size_t pages = page == all.next ? std::min(2 * all.last, kMostPagesAtOnce) : 1;
    const auto after = all.openings.upper_bound(page);
    const char* const end = after == all.openings.end() ? all.range.end : after->first;
    pages = std::min(pages, static_cast<std::size_t>(end - page) / bytes);
    all.pages += pages;
    if (++all.traps > kMostTraps || all.pages > kMostPages) {  // the rest is not watched
        platform::protect(all.range.begin, static_cast<std::size_t>(all.range.end - all.range.begin),
                          platform::Access::all);
        return;
    }
    all.openings.emplace(page, Opening{pages * bytes, address});
    all.next = page + pages * bytes;
    all.last = pages;
    platform::protect(page, pages * bytes, platform::Access::read);
}

bool kernel_passes(const void* address) {
    Watched* const all = watched_around(address);
    if (all == nullptr) return false;
    char* const page = page_of(address);
    const auto next = all->openings.upper_bound(page);
    const auto found = next == all->openings.begin() ? next : std::prev(next);
    // Another thread may have opened the pages in the meantime. An access is known to be a store only if it
    // traps twice in a row in the same thread: the second time, the pages are open to loads.
    thread_local std::pair<char*, unsigned int> tried;
    if (found == next || page >= found->first + found->second.bytes) {
        tried = {page, watched_grids};
        return open_to_read(*all, page, static_cast<const char*>(address)), true;
    }
    auto& [begin, opening] = *found;
    const std::pair<char*, unsigned int> now{begin, watched_grids};
    if (std::exchange(tried, now) != now || opening.stored != nullptr) return true;
    copy_pages(begin, opening.bytes, opening.before);
    opening.stored = static_cast<const char*>(address);
    platform::protect(begin, opening.bytes, platform::Access::all);
    return true;
}

/// Notes the changed pages of an opening. Neighbouring pages become one range.
void note_written(Uses& uses, char* begin, Opening& opening) {
    const std::size_t page = platform::page_bytes();
    std::vector<char> now;
    for (char* at = begin; at < begin + opening.bytes; at += page) {
        copy_pages(at, page, now);
        char* const before = opening.before.data() + (at - begin);
        const bool has_store = page_of(opening.stored) == at;
        if (!has_store && std::memcmp(now.data(), before, page) == 0) continue;
        for (std::size_t i = 0; i < page; ++i) before[i] = static_cast<char>(before[i] ^ now[i]);
        if (has_store) before[opening.stored - at] = 1;
        if (uses.written.empty() || uses.written.back().first + uses.written.back().second.size() != at)
            uses.written.emplace_back(at, std::vector<char>());
        auto& changed = uses.written.back().second;
        changed.insert(changed.end(), before, before + page);
    }
}

bool host_passes(const void* address) {
    char* const page = page_of(address);
    bool is_guarded = false, is_hidden = false;
    for (const Uses& uses : unawaited) {
        if (!uses.guards(page)) continue;
        if (uses.has_written(address)) return false;
        is_guarded = true;
        is_hidden = is_hidden || uses.hides(page);
    }
    if (!is_guarded) return false;
    if (is_hidden && opened_to_read.insert(page).second)
        return platform::protect(page, platform::page_bytes(), platform::Access::read);
    // The page is open to loads, so the access is a store.
    for (const Uses& uses : unawaited)
        if (uses.guards(page) && uses.has_used(address)) return false;
    forget_shared(page, 1);
    return true;
}

void tell_printed() {
    const std::lock_guard lock(shared_lock);
    if (sticky_error() != cudaSuccess) return;
    for (const auto& [line, grid] : printed)
        tell_mistake(launch_text(grid.second) +
                     " prints, but the program ends without waiting for it: on a GPU, the output is lost. "
                     "Call cudaDeviceSynchronize() before the end");
}

}  // namespace

bool share_memory() { return is_shared_at_any_time = true; }

void watch_grid(const Kernel& kernel, const std::vector<platform::Range>& shared) {
    const std::lock_guard lock(shared_lock);
    watched.clear();
    if (shared.empty() || is_shared_at_any_time || platform::has_other_threads()) return;
    if (++launches[{kernel.site.file, kernel.site.line}] > kMostLaunches) return;
    ++watched_grids;
    watched_kernel = kernel;
    for (const platform::Range& range : shared) {
        watched.push_back({range});
        platform::protect(range.begin, static_cast<std::size_t>(range.end - range.begin),
                          platform::Access::none);
    }
}

void end_watch() {
    const std::lock_guard lock(shared_lock);
    if (watched.empty()) return;
    Uses uses{current_work(), watched_kernel};
    for (Watched& each : watched) {
        platform::protect(each.range.begin, static_cast<std::size_t>(each.range.end - each.range.begin),
                          platform::Access::all);
        for (auto& [begin, opening] : each.openings) {
            uses.used.push_back(opening.used);
            if (opening.stored != nullptr) note_written(uses, begin, opening);
        }
    }
    watched.clear();
    if (uses.used.empty()) return;
    unawaited.push_back(std::move(uses));
    std::size_t bytes = 0;
    for (const Uses& each : unawaited) bytes += each.bytes();
    for (; unawaited.size() > kMostUnawaited || bytes > kMostUnawaitedBytes; unawaited.pop_front())
        bytes -= unawaited.front().bytes();
}

void guard_shared() {
    const std::lock_guard lock(shared_lock);
    if (sticky_error() != cudaSuccess) unawaited.clear();
    opened_to_read.clear();
    const std::size_t page = platform::page_bytes();
    std::set<std::pair<char*, std::size_t>> read, written;  // launches of a line often use the same pages
    for (const Uses& uses : unawaited) {
        for (const char* const at : uses.used)
            if (uses.opened.count(page_of(at)) == 0) read.emplace(page_of(at), page);
        for (const auto& [begin, changed] : uses.written) {
            if (uses.opened.empty()) {
                written.emplace(begin, changed.size());
                continue;
            }
            for (char* at = begin; at < begin + changed.size(); at += page)
                if (uses.opened.count(at) == 0) written.emplace(at, page);
        }
    }
    for (const auto& [begin, bytes] : read) platform::protect(begin, bytes, platform::Access::read);
    for (const auto& [begin, bytes] : written) platform::protect(begin, bytes, platform::Access::none);
}

bool shared_passes(const void* address, bool by_kernel) {
    const std::lock_guard lock(shared_lock);
    if (by_kernel) return kernel_passes(address);
    if (Watched* const all = watched_around(address); all != nullptr)  // while a grid runs
        return platform::protect(page_of(address), platform::page_bytes(), platform::Access::all);
    return host_passes(address);
}

std::string unawaited_text(const void* address) {
    const std::lock_guard lock(shared_lock);
    for (const bool writes : {true, false})
        for (auto uses = unawaited.rbegin(); uses != unawaited.rend(); ++uses) {
            if (!uses->guards(page_of(address))) continue;
            if (writes ? uses->has_written(address) : uses->has_used(address))
                return ", which " + launch_text(uses->kernel) + (writes ? " writes" : " reads") +
                       ": the host has not waited for it, as cudaDeviceSynchronize() does";
        }
    return "";
}

void note_printed(const Kernel& kernel) {
    [[maybe_unused]] static const int at_exit = std::atexit(tell_printed);
    const std::lock_guard lock(shared_lock);
    printed.insert_or_assign({kernel.site.file, kernel.site.line}, std::pair(current_work(), kernel));
}

void release_shared(const Clock& awaited) {
    const std::lock_guard lock(shared_lock);
    std::erase_if(printed, [&](const auto& each) { return each.second.first.is_in(awaited); });
    const auto is_awaited = [&](const Uses& uses) { return uses.work.is_in(awaited); };
    bool is_any = false;
    for (const Uses& uses : unawaited) {
        if (!is_awaited(uses)) continue;
        is_any = true;
        for (const char* const at : uses.used)
            platform::protect(page_of(at), platform::page_bytes(), platform::Access::all);
        for (const auto& [begin, changed] : uses.written)
            platform::protect(begin, changed.size(), platform::Access::all);
    }
    if (!is_any) return;
    std::erase_if(unawaited, is_awaited);
    guard_shared();
}

void forget_shared(const void* begin, std::size_t bytes) {
    const std::lock_guard lock(shared_lock);
    if (unawaited.empty() || bytes == 0) return;
    const std::size_t page = platform::page_bytes();
    const char* const end = static_cast<const char*>(begin) + bytes;
    for (Uses& uses : unawaited) {
        std::set<char*> pages;
        for (const char* const at : uses.used) pages.insert(page_of(at));
        for (const auto& [first, changed] : uses.written)
            for (char* at = std::max(first, page_of(begin));
                 at < std::min<const char*>(first + changed.size(), end); at += page)
                pages.insert(at);
        for (char* const at : pages)
            if (at + page > begin && at < end && uses.opened.insert(at).second)
                platform::protect(at, page, platform::Access::all);
    }
}

bool is_unawaited() {
    const std::lock_guard lock(shared_lock);
    return !unawaited.empty() || !watched.empty() || !printed.empty();
}

}  // namespace sim
