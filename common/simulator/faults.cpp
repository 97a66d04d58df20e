/// @file
/// @brief Kernels that break CUDA's rules: how it is noticed, and the messages.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "device_memory.hpp"
#include "worker.hpp"

namespace sim {
namespace {

std::string text(const Site& site) { return std::string(site.file) + ":" + std::to_string(site.line); }

std::string text(const uint3& v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

}  // namespace

std::string launch_text(const Kernel& kernel) {
    return std::string(kernel.name) + " (launched at " + text(kernel.site) + ")";
}

/// Ends the block. A grid keeps one fault.
void Worker::record_fault(cudaError_t error, const std::string& what) {
    faulted_ = true;
    grid_->failed = true;
    const std::lock_guard<std::mutex> lock(grid_->fault_lock);
    grid_->error = error;
    grid_->fault = launch_text(grid_->kernel) + ", block " + text(blockIdx) + ": " + what;
}

/// Ends the program.
[[noreturn]] void fail_on_cpu(const char* what) {
    std::fprintf(stderr, "simulator: the CPU's own code uses %s\n", what);
    std::abort();
}

std::string Worker::thread_text() { return "thread " + text(threads_.current->index); }

/// Which threads wait, and where. Neighbours that wait on the same line are named together.
std::string Worker::waiting_threads() const {
    const Thread* const threads = threads_.all;
    std::string result;
    for (unsigned int first = 0, last; first < threads_.count; first = last + 1) {
        const Thread& thread = threads[first];
        last = first;
        if (thread.state != ThreadState::at_barrier && thread.state != ThreadState::at_warp) continue;
        while (last + 1 < threads_.count && threads[last + 1].state == thread.state &&
               threads[last + 1].site == thread.site)
            ++last;
        if (!result.empty()) result += "; ";
        result += first == last ? "thread " + std::to_string(first) + " waits"
                                : "threads " + std::to_string(first) + "-" + std::to_string(last) + " wait";
        if (thread.state == ThreadState::at_warp)
            result += std::string(" for the other lanes in ") + thread.function;
        result += " at " + text(thread.site);
    }
    return result;
}

void Worker::record_wrong_mask(const char* function, Site site) {
    record_fault(cudaErrorLaunchFailure,
                 thread_text() + " is not in the mask that it gives " + function + " at " + text(site));
}

/// CUDA refuses such a launch. What a kernel declares is not known here before it runs.
void Worker::record_too_much_shared() {
    std::string what =
        "the kernel declares " + std::to_string(static_shared_bytes_) + " bytes of shared memory, ";
    if (static_shared_bytes_ > kStaticSharedBytes) {
        record_fault(cudaErrorLaunchFailure, what + "and a block has " + std::to_string(kStaticSharedBytes));
    } else {
        what += "the launch adds " + std::to_string(grid_->config.dynamic_shared_bytes);
        record_fault(cudaErrorInvalidValue,
                     what + ", and a block has " + std::to_string(grid_->shared_limit.all_bytes));
    }
}

void Worker::record_bad_address(const void* address) {
    std::string place = allocation_text(address);
    if (place.empty()) {
        char hexadecimal[32];
        std::snprintf(hexadecimal, sizeof(hexadecimal), "%p", address);
        place = std::string("address ") + hexadecimal + ", where no memory is";
    }
    record_fault(cudaErrorIllegalAddress, thread_text() + " uses " + place);
}

void Worker::index_outside() {
    const InSimulator here(*this);
    record_fault(cudaErrorLaunchFailure, thread_text() + " uses an index that its array does not have");
    fibers_.give_up();
}

void Worker::fail(const std::string& what) {
    const InSimulator here(*this);
    record_fault(cudaErrorLaunchFailure, thread_text() + " " + what);
    fibers_.give_up();
}

void misaligned() { running_worker->misaligned(); }

void Worker::misaligned() {
    const InSimulator here(*this);
    record_fault(cudaErrorMisalignedAddress,
                 thread_text() + " uses an address that is misaligned for its type, or no address at all");
    fibers_.give_up();
}

/// The operating system has stopped the thread that runs: what a signal means.
void Worker::fault_by_signal(int signal, const siginfo_t& info) {
    const InSimulator here(*this);
    forget_frames(signal_stack_.data(), signal_stack_.size());  // this handler is left for good
    if (signal == SIGFPE) {
        record_fault(cudaErrorLaunchFailure, thread_text() + " divides an integer by zero");
    } else if (fibers_.is_stack_overflow(info.si_addr)) {
        record_fault(cudaErrorLaunchFailure, thread_text() + " needs more than " +
                                                 std::to_string(Fibers::kStackBytes / 1024) +
                                                 " KiB of stack for its local variables and calls");
    } else if (signal == SIGBUS || info.si_code == SI_KERNEL) {
        misaligned();  // an x86 CPU reports it like this, without the address
    } else {
        record_bad_address(info.si_addr);
    }
    fibers_.give_up();
}

}  // namespace sim

/// @name What code calls that is compiled with `-fsanitize=alignment,bounds`, without that sanitizer's
/// library
/// @{
extern "C" [[noreturn]] void __ubsan_handle_type_mismatch_v1_abort(void*, void*) {
    if (sim::running_worker != nullptr) sim::running_worker->misaligned();
    sim::fail_on_cpu("an address that is misaligned for its type");
}
extern "C" [[noreturn]] void __ubsan_handle_out_of_bounds_abort(void*, void*) {
    if (sim::running_worker != nullptr) sim::running_worker->index_outside();
    sim::fail_on_cpu("an index that its array does not have");
}
/// @}
