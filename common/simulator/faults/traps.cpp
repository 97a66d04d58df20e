/// @file
/// @brief Decides whether a trap is a fault of a kernel, a fault of host code, or an access to be repeated.
#include <cstdlib>
#include <string>

#include "../grid/block.hpp"
#include "../instrument/observer.hpp"
#include "../memory/device_memory.hpp"
#include "../platform/platform.hpp"
#include "../platform/sanitizer.hpp"
#include "../streams/hazards.hpp"
#include "../streams/unawaited.hpp"
#include "errors.hpp"

namespace sim::platform {

namespace {

/// Whether an access has trapped only because the simulator watches the memory. It is then repeated.
bool passes(const void* address, bool by_kernel) {
    return let_pass(address, by_kernel) ||
           (copy_text(address, by_kernel).empty() && shared_passes(address, by_kernel));
}

/// The same for an access of a kernel. No other thread of the block may run meanwhile, because locks are
/// held.
bool passes_in_kernel(const void* address) {
    const Block::InSimulator here(*running_block);
    return passes(address, true);
}

}  // namespace

Handled handle_trap(Trap trap, const void* address) {
    const bool is_access = trap == Trap::address;
    if (is_access && (running_block != nullptr ? passes_in_kernel(address) : passes(address, false)))
        return Handled::repeat_it;
    if (running_block != nullptr) running_block->stop(trapped, trap, address);
    tell_fault();  // the program may end here
    if (!is_access) return Handled::no;
    const std::string copy = copy_text(address, false), use = copy.empty() ? unawaited_text(address) : copy;
    std::string place = allocation_text(address);
    if (!use.empty()) {
        if (place.empty()) place = pinned_text(address);
        tell_cpu_fault((place.empty() ? managed_variable_text(address) : place) + use);
        return Handled::and_explained;
    }
    if (place.empty()) return Handled::no;
    if (!place.ends_with(" and freed"))
        place +=
            ". Only kernels, launched with <<<grid, block>>>, can access device memory; host code uses "
            "cudaMemcpy and cudaMemset";
    tell_cpu_fault(place);
    return Handled::and_explained;
}

void end_after_cpu_fault() {
    if (observer != nullptr) observer->ends();
    std::_Exit(1);
}

bool is_in_kernel() { return running_block != nullptr; }

void handle_tick() {
    // AddressSanitizer holds locks while it reports: no OS thread can be started, and no thread stopped.
    if (__asan_report_present() != 0) return;
    if (running_block != nullptr) running_block->tick();
}

void handle_thread_change(std::size_t threads) {
    if (observer != nullptr) observer->thread_changes(threads);
}

void handle_iteration_end(const void* at) {
    if (observer != nullptr) observer->iteration_ends(at);
}

void handle_time_limit() {
    if (running_block == nullptr) tell_cpu_fault("more CPU time than allowed");
}

}  // namespace sim::platform
