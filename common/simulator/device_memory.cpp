/// @file
/// @brief Device memory: allocations, their fences, and who may use them when.
#include "device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "pages.hpp"
#include "sanitizer.hpp"
#include "signals.hpp"

namespace sim {
namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// @brief `[guard][fence][the bytes][fence][guard]`
///
/// The guards are never accessible. The bytes end where a page ends, as far as they can while they begin at a
/// multiple of 256: the fence after them has less than 256 bytes, and none if they are a multiple of 256.
/// Fences are accessible with the bytes and full of poison, so that a write to them is found afterwards.
class Allocation {
 public:
    explicit Allocation(std::size_t bytes, bool managed = false)
        : bytes_(bytes),
          managed_(managed),
          rounded_((bytes + 255) / 256 * 256),
          inner_((rounded_ + page_bytes() - 1) / page_bytes() * page_bytes()),
          pages_(kGuardBytes + inner_ + kGuardBytes) {
        pages_.forbid(0, kGuardBytes);
        pages_.forbid(kGuardBytes + inner_, kGuardBytes);
        std::memset(inside(), kPoison, inner_);
        __asan_poison_memory_region(inside(), inner_);
        __asan_unpoison_memory_region(begin(), bytes_);
    }
    ~Allocation() { __asan_unpoison_memory_region(inside(), inner_); }
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;

    char* begin() const { return inside() + inner_ - rounded_; }
    std::size_t bytes() const { return bytes_; }
    bool managed() const { return managed_; }

    void set_accessible(bool accessible) const {
        sim::set_accessible(inside(), inner_, accessible || (managed_ && !freed_));
    }

    /// Gives the memory back, and keeps its addresses: what still uses them is found.
    void free() {
        freed_ = true;
        __asan_unpoison_memory_region(inside(), inner_);
        set_accessible(false);
        madvise(inside(), inner_, MADV_DONTNEED);
    }

    bool has(const char* at) const { return !freed_ && static_cast<std::size_t>(at - begin()) < bytes_; }
    bool has_around(const char* at) const {  // or in its fences and guards
        return static_cast<std::size_t>(at - pages_.data()) < kGuardBytes + inner_ + kGuardBytes;
    }

    /// The first byte of the fences that is not poison any more, or null.
    const char* damage() const {
        if (kAddressSanitizer) return nullptr;  // which has stopped the thread at once
        for (const auto& [first, last] :
             {std::pair(inside(), begin()), std::pair(begin() + bytes_, begin() + rounded_)})
            for (const char* at = first; at < last; ++at)
                if (*at != static_cast<char>(kPoison)) return at;
        return nullptr;
    }

    /// Where an address is, in words.
    std::string text(const char* at) const {
        return "byte " + std::to_string(at - begin()) + " of an allocation with bytes 0 to " +
               std::to_string(bytes_ - 1) + (freed_ ? ", which has been freed" : "");
    }

 private:
    char* inside() const { return pages_.data() + kGuardBytes; }

    const std::size_t bytes_;
    const bool managed_;
    const std::size_t rounded_, inner_;
    Pages pages_;
    bool freed_ = false;
};

// A copy holds the lock while it runs. If its host memory is not accessible, the handler of the signal locks
// it again.
std::recursive_mutex memory_lock;
// Never destroyed, since destructors of static objects may still free memory.
auto& allocations = *new std::map<const char*, std::unique_ptr<Allocation>>;
auto& freed = *new std::deque<std::unique_ptr<Allocation>>;  // the last ones
constexpr std::size_t kMostFreed = 256;
/// The sizes of the device variables that have been adopted, some of them before main.
auto& variables() {
    static auto& sizes = *new std::map<const char*, std::size_t>;
    return sizes;
}
bool grid_runs = false;

/// The allocation that has an address in its bytes, its fences or its guards, or null.
const Allocation* allocation_around(const void* address) {
    const char* const at = static_cast<const char*>(address);
    auto next = allocations.upper_bound(at);
    if (next != allocations.end() && next->second->has_around(at)) return next->second.get();
    if (next == allocations.begin()) return nullptr;
    return (--next)->second->has_around(at) ? next->second.get() : nullptr;
}

/// The same, or one that had the address until it was freed.
const Allocation* old_allocation_around(const void* address) {
    if (const Allocation* const allocation = allocation_around(address)) return allocation;
    for (const auto& allocation : freed)
        if (allocation->has_around(static_cast<const char*>(address))) return allocation.get();
    return nullptr;
}

void release_signals_if_unused() {
    if (allocations.empty() && !grid_runs) release_signals();
}

}  // namespace

std::size_t device_memory_bytes() { return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes(); }

void adopt(const void* variable, std::size_t bytes) {
    const std::lock_guard lock(memory_lock);
    variables()[static_cast<const char*>(variable)] = bytes;
}

char* allocate(std::size_t bytes, bool managed) {
    auto allocation = std::make_unique<Allocation>(bytes, managed);
    char* const pointer = allocation->begin();
    const std::lock_guard lock(memory_lock);
    allocation->set_accessible(grid_runs);
    allocations[pointer] = std::move(allocation);
    catch_signals();
    return pointer;
}

bool deallocate(char* pointer) {
    const std::lock_guard lock(memory_lock);
    const auto found = allocations.find(pointer);
    if (found == allocations.end()) return false;
    found->second->free();
    freed.push_back(std::move(found->second));
    if (freed.size() > kMostFreed) freed.pop_front();
    allocations.erase(found);
    release_signals_if_unused();
    return true;
}

void deallocate_all() {
    const std::lock_guard lock(memory_lock);
    allocations.clear();
    freed.clear();
    release_signals_if_unused();
}

Place place(const void* pointer, std::size_t bytes) {
    const char *const first = static_cast<const char*>(pointer), *const last = first + bytes - 1;
    if (last < first) return Place::across;
    const std::lock_guard lock(memory_lock);
    for (const char* const at : {first, last})
        if (const Allocation* const allocation = old_allocation_around(at))
            return allocation->has(first) && allocation->has(last) ? Place::inside : Place::across;
    const auto variable = variables().upper_bound(first);
    if (variable == variables().begin()) return Place::outside;
    const auto& [begin, size] = *std::prev(variable);
    if (first >= begin + size) return Place::outside;
    return last < begin + size ? Place::inside : Place::across;
}

bool is_in_fence(const void* address) {
    const std::lock_guard lock(memory_lock);
    const Allocation* const allocation = allocation_around(address);
    return allocation != nullptr && !allocation->has(static_cast<const char*>(address));
}

std::string allocation_text(const void* address) {
    const std::lock_guard lock(memory_lock);
    const Allocation* const allocation = old_allocation_around(address);
    return allocation == nullptr ? "" : allocation->text(static_cast<const char*>(address));
}

// --- Access -------------------------------------------------------------------------------------

GridAccess::GridAccess() {
    const std::lock_guard lock(memory_lock);
    grid_runs = true;
    for (const auto& [start, allocation] : allocations) allocation->set_accessible(true);
    catch_signals();
}

GridAccess::~GridAccess() {
    const std::lock_guard lock(memory_lock);
    grid_runs = false;
    for (const auto& [start, allocation] : allocations) allocation->set_accessible(false);
    release_signals_if_unused();
}

std::string GridAccess::damage() const {
    const std::lock_guard lock(memory_lock);
    for (const auto& [start, allocation] : allocations)
        if (const char* const at = allocation->damage()) return allocation->text(at);
    return "";
}

CopyAccess::CopyAccess(const void* pointer, std::size_t bytes) : lock_(memory_lock) {
    const Allocation* const allocation = allocation_around(pointer);
    if (grid_runs || allocation == nullptr || allocation->managed() || place(pointer, bytes) != Place::inside)
        return;
    const std::uintptr_t page = page_bytes(), begin = reinterpret_cast<std::uintptr_t>(pointer);
    pages_ = reinterpret_cast<char*>(begin / page * page);
    bytes_ = (begin + bytes + page - 1) / page * page - begin / page * page;
    set_accessible(pages_, bytes_, true);
}

CopyAccess::~CopyAccess() {
    if (pages_ != nullptr) set_accessible(pages_, bytes_, false);
}

}  // namespace sim
