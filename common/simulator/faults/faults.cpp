/// @file
/// @brief Kernels that break CUDA's rules: how the fault is noticed, and the messages.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "../grid/worker.hpp"
#include "../memory/device_memory.hpp"
#include "../memory/redzones.hpp"
#include "../platform/source_lines.hpp"
#include "../streams/hazards.hpp"
#include "errors.hpp"

namespace sim {
namespace {

constexpr const char* kMisaligned = "an address that is misaligned for its type";

std::string text(const Site& site) { return std::string(site.file) + ":" + std::to_string(site.line); }

std::string text(const uint3& v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

/// A function's name without namespaces, the template's arguments, and parameters.
std::string_view plain(std::string_view name) {
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    if (const std::size_t at = name.find(kUnnamed); at != name.npos) name.remove_prefix(at + kUnnamed.size());
    name = name.substr(0, name.find_first_of("<("));
    return name.substr(name.find_last_of(": ") + 1);
}

}  // namespace

std::string launch_text(const Kernel& kernel) { return of_kernel(kernel, {}).message; }

/// A launch may know the kernel as a pointer or a template's parameter only. Then its own name says more.
Fault of_kernel(const Kernel& kernel, Fault fault) {
    const std::string function = kernel.address == nullptr ? "" : function_of(kernel.address);
    const bool is_named = plain(function).empty() || plain(function) == plain(kernel.name);
    fault.kernel = is_named ? kernel.name : plain(function);
    fault.launched_at = text(kernel.site);
    fault.message = fault.kernel + " (launched at " + fault.launched_at + ")" + fault.message;
    return fault;
}

void Grid::fail(cudaError_t reason, Fault its) {
    const std::lock_guard<std::mutex> guard(lock);
    if (failed.exchange(true)) return;
    error = reason;
    fault = of_kernel(kernel, std::move(its));
}

/// Ends the block.
void Worker::record(cudaError_t error, Fault fault) {
    faulted_ = true;
    fault.block = text(blockIdx);
    fault.message = ", block " + fault.block + ": " + fault.message;
    grid_->fail(error, std::move(fault));
}

void Worker::record_fault(FaultKind kind, cudaError_t error, const std::string& what) {
    record(error, {.kind = kind, .message = what});
}

void tell_cpu_fault(const std::string& what) {
    const std::string line = Calls().line();
    std::fprintf(stderr, "simulator: the CPU's own code%s%s uses %s\n", line.empty() ? "" : " at ",
                 line.c_str(), what.c_str());
}

[[noreturn]] void fail_on_cpu(const char* what) {
    tell_cpu_fault(what);
    std::abort();
}

/// Reports what the running thread has done wrong, and at which line.
void Worker::record_thread_fault(FaultKind kind, cudaError_t error, const std::string& what) {
    const std::string line = Calls().line();
    record(error, {.kind = kind,
                   .thread = text(threads_.current->index),
                   .line = line,
                   .message = thread_text() + (line.empty() ? " " : " at " + line + " ") + what});
}

std::string Worker::thread_text() { return "thread " + text(threads_.current->index); }

/// Which threads wait, and where; and, if requested, which have returned. Neighbours that have done
/// the same are named together.
std::string Worker::waiting_threads(bool and_returned) const {
    const Thread* const threads = threads_.all;
    std::string result;
    for (unsigned int first = 0, last; first < threads_.count; first = last + 1) {
        const Thread& thread = threads[first];
        last = first;
        const bool waits = thread.state == ThreadState::at_barrier || thread.state == ThreadState::at_warp;
        const bool returned = thread.state == ThreadState::returned && and_returned;
        if (!waits && !returned) continue;
        while (last + 1 < threads_.count && threads[last + 1].state == thread.state &&
               threads[last + 1].site == thread.site)
            ++last;
        if (!result.empty()) result += "; ";
        const bool one = first == last;
        result += one ? "thread " + std::to_string(first)
                      : "threads " + std::to_string(first) + "-" + std::to_string(last);
        result += returned ? (one ? " has returned" : " have returned") : (one ? " waits" : " wait");
        if (thread.state == ThreadState::at_warp)
            result += std::string(" for the other lanes in ") + thread.function;
        if (thread.site.file != nullptr) result += (returned ? " after " : " at ") + text(thread.site);
    }
    return result;
}

void Worker::record_wrong_mask(const char* function, Site site) {
    record_fault(FaultKind::other, cudaErrorLaunchFailure,
                 thread_text() + " is not in the mask it passes to " + function + " at " + text(site));
}

/// CUDA refuses such a launch. Here, what a kernel declares is not known before it runs.
void Worker::record_too_much_shared() {
    const bool alone = shared_.static_bytes() > kStaticSharedBytes;
    record_fault(
        FaultKind::other, alone ? cudaErrorLaunchFailure : cudaErrorInvalidValue,
        "the kernel declares " + std::to_string(shared_.static_bytes()) + " bytes of shared memory, " +
            (alone ? "" : "the launch adds " + std::to_string(grid_->config.dynamic_shared_bytes) + ", ") +
            "but a block has only " +
            std::to_string(alone ? kStaticSharedBytes : grid_->shared_limit.all_bytes));
}

void Worker::record_bad_address(const void* address) {
    std::string place = shared_.text(address);
    if (place.empty()) place = allocation_text(address);
    if (place.empty()) place = pinned_text(address);
    if (place.empty()) {
        const auto number = reinterpret_cast<std::uintptr_t>(address);
        char hexadecimal[32];
        std::snprintf(hexadecimal, sizeof(hexadecimal), "address %#zx", number);
        place = hexadecimal;
        place += number < platform::page_bytes() ? " through a null pointer" : ", which is in no allocation";
    }
    const std::string copy = copy_text(address, true);
    record_thread_fault(FaultKind::address, copy.empty() ? cudaErrorIllegalAddress : cudaErrorLaunchFailure,
                        "uses " + place + copy);
}

void Worker::require_not_in_redzone(const void* address, bool or_shared) {
    if (shared_.has(address)) return;
    if (!is_in_redzone(address) && !(or_shared && shared_.is_in_redzone(address))) return;
    const InSimulator here(*this);
    record_bad_address(address);
    fibers_.give_up();
}

void Worker::index_outside(std::uint64_t index, const char* array) {
    const InSimulator here(*this);
    std::string type = array;  // 'int [31]' from g++, 'int[31]' from clang
    if (const std::size_t space = type.find(" ["); space != std::string::npos) type.erase(space, 1);
    record_thread_fault(
        FaultKind::address, cudaErrorLaunchFailure,
        "uses index " + std::to_string(static_cast<std::int64_t>(index)) + " of an array that is " + type);
    fibers_.give_up();
}

/// The thread's stack is given up, and with it all that is not destroyed before.
void Worker::fail(std::string what) {
    const InSimulator here(*this);
    record_fault(FaultKind::other, cudaErrorLaunchFailure, thread_text() + " " + std::exchange(what, {}));
    fibers_.give_up();
}

void misaligned(const void* address) { running_worker->misaligned(address); }

/// The sanitizer's checks also call this for a null pointer.
void Worker::misaligned(const void* address) {
    const InSimulator here(*this);
    if (address == nullptr)
        record_bad_address(address);
    else
        record_thread_fault(FaultKind::address, cudaErrorMisalignedAddress,
                            std::string("uses ") + kMisaligned);
    fibers_.give_up();
}

void Worker::assertion_failed(const char* what, const char* file, unsigned int line) {
    const InSimulator here(*this);
    record_fault(
        FaultKind::other, cudaErrorAssert,
        thread_text() + " at " + text(Site{file, static_cast<int>(line)}) + " fails its assertion: " + what);
    fibers_.give_up();
}

/// The running thread waits for all blocks of the grid, of which one has ended before.
void Worker::never_meets(uint3 block, Site site) {
    const InSimulator here(*this);
    record_fault(FaultKind::deadlock, cudaErrorLaunchTimeout,
                 "deadlock: " + thread_text() + " waits for the whole grid at " + text(site) +
                     ", but block " + text(block) + " has ended");
    fibers_.give_up();
}

/// The program ends here, because what `exit` has begun can't be undone.
void Worker::exits() {
    threads_.in_kernel = false;
    record_thread_fault(FaultKind::other, cudaErrorLaunchFailure, "calls exit(), which a GPU does not have");
    set_fault(grid_->error, grid_->fault);
    tell_fault();
    std::fflush(nullptr);
    std::_Exit(1);
}

/// The processor has stopped the running thread. Reports why.
void Worker::fault_by_trap(platform::Trap trap, const void* address) {
    using platform::Trap;
    const InSimulator here(*this);
    trap_stack_.forget();
    const std::string what = trap == Trap::division              ? "divides an integer by zero"
                             : trap == Trap::illegal_instruction ? "stops itself, as __trap() does"
                             : trap == Trap::abort               ? "calls abort(), which a GPU does not have"
                             : fibers_.is_stack_overflow(address)
                                 ? "needs more than " + std::to_string(Fibers::kStackBytes / 1024) +
                                       " KiB of stack for its local variables and calls"
                                 : "";
    if (!what.empty())
        record_thread_fault(FaultKind::other, cudaErrorLaunchFailure, what);
    else if (trap == Trap::no_address)
        record_thread_fault(FaultKind::address, cudaErrorMisalignedAddress,
                            std::string("uses ") + kMisaligned + ", or no address at all");
    else
        record_bad_address(address);
    fibers_.give_up();
}

}  // namespace sim

/// What `assert` calls, instead of the C library's function.
extern "C" [[noreturn]] void __assert_fail(const char* what, const char* file, unsigned int line,
                                           const char* function) noexcept {
    if (sim::running_worker != nullptr) sim::running_worker->assertion_failed(what, file, line);
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, what);
    std::abort();
}

/// @name Functions called by code that is compiled with `-fsanitize=alignment,bounds`, in place of that
/// sanitizer's library
/// @{
extern "C" [[noreturn]] void __ubsan_handle_type_mismatch_v1_abort(void*, void* address) {
    if (sim::running_worker != nullptr) sim::running_worker->misaligned(address);
    sim::fail_on_cpu(address == nullptr ? "a null pointer" : sim::kMisaligned);
}
/// The array's type comes after two numbers of 16 bits.
struct ArrayType {
    std::uint16_t numbers[2];
    char name[];
};
struct OutOfBounds {
    const char* file;
    std::uint32_t line, column;
    const ArrayType* array;
};
extern "C" [[noreturn]] void __ubsan_handle_out_of_bounds_abort(const OutOfBounds* what,
                                                                std::uintptr_t index) {
    if (sim::running_worker != nullptr) sim::running_worker->index_outside(index, what->array->name);
    sim::fail_on_cpu("an index that its array does not have");
}
/// @}
