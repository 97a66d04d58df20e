/// @file
/// @brief Device memory: allocations, their redzones, and who may use them when.
#include "device_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "../instrument/observer.hpp"
#include "../platform/platform.hpp"
#include "../platform/source_lines.hpp"
#include "../streams/hazards.hpp"
#include "../streams/streams.hpp"
#include "../streams/unawaited.hpp"
#include "redzones.hpp"

namespace sim {
namespace {

/// Large enough that an index which is wrong by a few blocks' elements falls into the guard.
constexpr std::size_t kDeviceGuardBytes = std::size_t{1} << 20;
/// The most allocations with guards. Each needs two of the 65,530 mappings that Linux allows a process, and
/// the workers' stacks need most of these.
constexpr std::size_t kMostGuarded = 4096;

class Allocation {
 public:
    Allocation(std::size_t bytes, bool guarded, bool managed)
        : memory_(bytes, 256, guarded ? kDeviceGuardBytes : 0), managed_(managed) {}

    const Redzoned& memory() const { return memory_; }
    bool has(const void* at) const { return !freed_ && memory_.has(at); }
    bool managed() const { return managed_; }
    int device() const { return device_; }
    void set_accessible(bool accessible) const {
        memory_.set_accessible(accessible || (managed_ && !freed_));
    }

    /// Returns the memory to the system but keeps its addresses, so that later uses are found.
    void free() {
        forget_shared(memory_.begin(), memory_.bytes());
        freed_ = true;
        memory_.free();
    }

    /// Describes where an address is in or near the allocation.
    std::string text(const void* at) const {
        const std::string line = allocated_.line();
        const std::string device = device_count() == 1 ? "" : " of device " + std::to_string(device_);
        return memory_.text(at) + (managed_ ? "a managed buffer of " : "a buffer of ") +
               Redzoned::bytes_text(memory_.bytes()) + device +
               (line.empty() ? "" : " allocated at " + line) + (freed_ ? " and freed" : "");
    }

 private:
    Redzoned memory_;
    const bool managed_;
    const int device_ = current_device();
    const Calls allocated_;
    bool freed_ = false;
};

// A copy holds the lock while it runs. If its host memory is not accessible, the signal's handler takes the
// lock again.
std::recursive_mutex memory_lock;
// Never destroyed, since destructors of static objects may still free memory.
auto& allocations = *new std::map<const char*, std::unique_ptr<Allocation>>;
auto& freed = *new std::deque<std::unique_ptr<Allocation>>;  // the most recent ones
/// The sizes of the device variables that have been registered, some of them before main.
auto& variables() {
    static auto& sizes = *new std::map<const char*, std::size_t>;
    return sizes;
}
bool grid_runs = false;
int grid_device = 0;  // the device of the last grid

/// @return The allocation whose bytes, redzones or guards contain an address, or null.
const Allocation* allocation_around(const void* address) {
    const char* const at = static_cast<const char*>(address);
    auto next = allocations.upper_bound(at);
    if (next != allocations.end() && next->second->memory().has_around(at)) return next->second.get();
    if (next == allocations.begin()) return nullptr;
    return (--next)->second->memory().has_around(at) ? next->second.get() : nullptr;
}

/// Like `allocation_around`, but also finds a recently freed allocation that had the address.
const Allocation* old_allocation_around(const void* address) {
    if (const Allocation* const allocation = allocation_around(address)) return allocation;
    for (const auto& allocation : freed)
        if (allocation->memory().has_around(address)) return allocation.get();
    return nullptr;
}

void release_traps_if_unused() {
    if (!allocations.empty() || grid_runs || is_unawaited()) return;
    const auto managed = [](const auto& allocation) { return allocation->managed(); };
    if (std::none_of(freed.begin(), freed.end(), managed)) platform::release_traps();
}

/// The pages that a grid and the host share, except ranges that copies use (`is_used_by_copies`).
std::vector<platform::Range> shared_pages() {
    std::vector<platform::Range> result = mapped_pages();
    for (const auto& [start, allocation] : allocations)
        if (allocation->managed()) result.push_back(allocation->memory().pages());
    if (const platform::Range variables = platform::managed_pages(); variables.begin != variables.end)
        result.push_back(variables);
    std::erase_if(result, [](const platform::Range& range) {
        return is_used_by_copies({range.begin, static_cast<std::size_t>(range.end - range.begin), true});
    });
    return result;
}

}  // namespace

std::size_t device_memory_bytes() { return platform::memory_bytes(); }

void adopt(const void* variable, std::size_t bytes) {
    const std::lock_guard lock(memory_lock);
    variables()[static_cast<const char*>(variable)] = bytes;
}

char* allocate(std::size_t bytes, bool managed) {
    const std::lock_guard lock(memory_lock);
    auto allocation = std::make_unique<Allocation>(bytes, allocations.size() < kMostGuarded, managed);
    char* const pointer = allocation->memory().begin();
    allocation->set_accessible(grid_runs && grid_device == current_device());
    allocations[pointer] = std::move(allocation);
    platform::catch_traps();
    if (observer != nullptr) observer->allocated(pointer, bytes);
    return pointer;
}

bool deallocate(char* pointer) {
    const std::lock_guard lock(memory_lock);
    const auto found = allocations.find(pointer);
    if (found == allocations.end()) return false;
    found->second->free();
    if (observer != nullptr) observer->freed(pointer);
    freed.push_back(std::move(found->second));
    if (freed.size() > kMostFreed) freed.pop_front();
    allocations.erase(found);
    release_traps_if_unused();
    return true;
}

void deallocate_all() {
    const std::lock_guard lock(memory_lock);
    for (auto next = allocations.begin(); next != allocations.end();) {
        if (next->second->device() != current_device()) {
            ++next;
            continue;
        }
        if (observer != nullptr) observer->freed(next->first);
        forget_shared(next->first, next->second->memory().bytes());
        next = allocations.erase(next);
    }
    freed.clear();
    release_traps_if_unused();
}

Place place(const void* pointer, std::size_t bytes) {
    const char* const first = static_cast<const char*>(pointer);
    const auto* const last =
        reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(pointer) + bytes - 1);
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

int device_of(const void* address) {
    const std::lock_guard lock(memory_lock);
    const Allocation* const allocation = allocation_around(address);
    return allocation == nullptr ? current_device() : allocation->device();
}

bool is_in_redzone(const void* address) {
    const std::lock_guard lock(memory_lock);
    const Allocation* const allocation = allocation_around(address);
    return allocation != nullptr && !allocation->has(address);
}

std::string allocation_text(const void* address) {
    const std::lock_guard lock(memory_lock);
    const Allocation* const allocation = old_allocation_around(address);
    return allocation == nullptr ? "" : allocation->text(address);
}

bool are_in_one_allocation(const void* one, const void* other) {
    const std::lock_guard lock(memory_lock);
    const Allocation* const allocation = old_allocation_around(one);
    return allocation != nullptr && allocation == old_allocation_around(other);
}

std::string managed_variable_text(const void* address) {
    const std::string name = function_of(address);
    return name.empty() ? "a managed variable" : "the managed variable " + name;
}

// --- Access -------------------------------------------------------------------------------------

bool is_managed(const void* address) {
    const std::lock_guard lock(memory_lock);
    const Allocation* const allocation = allocation_around(address);
    const auto [begin, end] = platform::managed_variables();
    return (allocation != nullptr && allocation->managed()) || (address >= begin && address < end);
}

GridAccess::GridAccess(const Kernel& kernel) {
    const std::lock_guard lock(memory_lock);
    grid_runs = true;
    grid_device = current_device();
    for (const auto& [start, allocation] : allocations)
        allocation->set_accessible(allocation->device() == current_device());
    watch_grid(kernel, shared_pages());
    guard_grid([](const void* address) {
        const Allocation* const allocation = allocation_around(address);
        return allocation != nullptr && allocation->device() == grid_device;
    });
    platform::catch_traps();
}

GridAccess::~GridAccess() {
    const std::lock_guard lock(memory_lock);
    grid_runs = false;
    release_grid();
    end_watch();
    for (const auto& [start, allocation] : allocations) allocation->set_accessible(false);
    guard_shared();
    release_traps_if_unused();
}

const void* GridAccess::damage() const {
    const std::lock_guard lock(memory_lock);
    const bool guarded = release_grid();
    end_watch();
    for (const auto& [start, allocation] : allocations) {
        if (allocation->device() != grid_device) continue;  // the grid and this function can't access it
        if (guarded) allocation->set_accessible(true);
        if (const char* const at = allocation->memory().damage()) return at;
    }
    return nullptr;
}

CopyAccess::CopyAccess(const void* pointer, std::size_t bytes) : lock_(memory_lock) {
    forget_shared(pointer, bytes);
    const Allocation* const allocation = allocation_around(pointer);
    if (allocation == nullptr || allocation->managed() || place(pointer, bytes) != Place::inside) return;
    if (grid_runs && grid_device == allocation->device()) return;
    pages_ = page_of(pointer);
    const auto before = static_cast<std::size_t>(static_cast<const char*>(pointer) - pages_);
    bytes_ = round_up(before + bytes, platform::page_bytes());
    set_accessible(pages_, bytes_, true);
}

CopyAccess::~CopyAccess() {
    if (pages_ != nullptr) set_accessible(pages_, bytes_, false);
}

}  // namespace sim
