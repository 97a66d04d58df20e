/// @file
/// @brief The messages about a block's faults: which threads have done what, and where.
#include "report.hpp"

#include <cstdio>
#include <string_view>

#include "../grid/block.hpp"
#include "../grid/parameters.hpp"
#include "../memory/device_memory.hpp"
#include "../platform/source_lines.hpp"
#include "../streams/hazards.hpp"

namespace sim {

std::string text(const Site& site) { return std::string(site.file) + ":" + std::to_string(site.line); }

namespace {

std::string text(const uint3& v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

std::string running_thread(const Block& block) { return "thread " + text(block.threads().current->index); }

/// A function's name without namespaces, template arguments and parameters.
std::string_view plain(std::string_view name) {
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    if (const std::size_t at = name.find(kUnnamed); at != name.npos) name.remove_prefix(at + kUnnamed.size());
    name = name.substr(0, name.find_first_of("<("));
    return name.substr(name.find_last_of(": ") + 1);
}

Report block_report(FaultKind kind, cudaError_t error, const std::string& what) {
    const std::string block = text(blockIdx);
    return {error, {.kind = kind, .block = block, .message = ", block " + block + ": " + what}};
}

/// A report of what the running thread has done wrong, and at which line.
Report thread_report(const Block& block, FaultKind kind, cudaError_t error, const std::string& what) {
    const std::string line = Calls().line();
    Report report =
        block_report(kind, error, running_thread(block) + (line.empty() ? " " : " at " + line + " ") + what);
    report.fault.thread = text(block.threads().current->index);
    report.fault.line = line;
    return report;
}

/// A report of what the running thread has done wrong, without its line: the line is unknown, or `what` names
/// it.
Report broken_rule(const Block& block, const std::string& what) {
    return block_report(FaultKind::other, cudaErrorLaunchFailure, running_thread(block) + " " + what);
}

/// Names the threads that wait, and where; if requested, also those that have returned. Neighbouring threads
/// that have done the same are named together.
std::string waiting_threads(const Block& block, bool and_returned = false) {
    const Thread* const threads = block.threads().all;
    const unsigned int count = block.threads().count;
    constexpr unsigned int kMostGroups = 6;
    std::string result;
    unsigned int groups = 0;
    for (unsigned int first = 0, last; first < count; first = last + 1) {
        const Thread& thread = threads[first];
        last = first;
        const bool waits = thread.state == ThreadState::at_barrier || thread.state == ThreadState::at_warp;
        const bool returned = thread.state == ThreadState::returned && and_returned;
        if (!waits && !returned) continue;
        while (last + 1 < count && threads[last + 1].state == thread.state &&
               threads[last + 1].site == thread.site)
            ++last;
        if (++groups > kMostGroups) continue;
        if (!result.empty()) result += "; ";
        const bool one = first == last;
        result += one ? "thread " + std::to_string(first)
                      : "threads " + std::to_string(first) + "-" + std::to_string(last);
        result += returned ? (one ? " has returned" : " have returned") : (one ? " waits" : " wait");
        if (thread.state == ThreadState::at_warp)
            result += std::string(" for the other lanes in ") + thread.function;
        if (thread.site.file != nullptr) result += (returned ? " after " : " at ") + text(thread.site);
    }
    if (groups > kMostGroups)
        result += "; and " + std::to_string(groups - kMostGroups) + " more groups of threads";
    return result;
}

/// Why a lane does not take part in a shuffle, and how to fix it.
std::string absence_text(const Block& block, unsigned int number, unsigned int mask) {
    const unsigned int count = block.threads().count;
    char hexadecimal[32];
    std::snprintf(hexadecimal, sizeof(hexadecimal), "%#x", mask);
    if ((mask >> number % warpSize & 1) == 0)
        return std::string("is not in the mask ") + hexadecimal +
               ". A lane may read only from lanes in its mask";
    if (number >= count)
        return "does not exist: the block has only " + std::to_string(count) +
               " threads. Launch blocks of a multiple of 32 threads, or use only the lanes that exist";
    return "has returned. Let no lane return before the shuffles are done: one without an element passes a "
           "value that changes nothing, such as 0 for a sum";
}

std::string address_text(const Block& block, const void* address) {
    char number[32];
    std::snprintf(number, sizeof(number), "address %#zx", reinterpret_cast<std::uintptr_t>(address));
    if (is_near_null(address)) {
        const std::string element = element_text(block.grid(), address);
        return (element.empty() ? number : element) + " through a null pointer";
    }
    std::string place = block.shared().text(address);
    if (place.empty()) place = memory_text(block.grid(), address);
    if (place.empty()) place = pinned_text(address);
    return place.empty() ? number + std::string(", which is in no allocation") : place;
}

}  // namespace

// --- The kernel ---------------------------------------------------------------------------------

std::string launch_text(const Kernel& kernel) { return of_kernel(kernel, {}).message; }

/// The kernel's name as the launch has it or, if the launch names only a pointer or a template's parameter,
/// the function's own name.
static std::string own_name(const Kernel& kernel) {
    const std::string function = kernel.address == nullptr ? "" : function_of(kernel.address);
    const bool is_named = plain(function).empty() || plain(function) == plain(kernel.name);
    return is_named ? kernel.name : std::string(plain(function));
}

std::string plain_name(const Kernel& kernel) { return std::string(plain(own_name(kernel))); }

Fault of_kernel(const Kernel& kernel, Fault fault) {
    fault.kernel = own_name(kernel);
    fault.launched_at = text(kernel.site);
    fault.message = fault.kernel + " (launched at " + fault.launched_at + ")" + fault.message;
    return fault;
}

// --- Its block ----------------------------------------------------------------------------------

Report divergent_barrier(const Block& block) {
    return block_report(FaultKind::barrier, cudaErrorLaunchFailure,
                        "divergent barrier: " + waiting_threads(block) +
                            ". All threads of a block must wait at the same __syncthreads(): move it out of "
                            "the branches");
}

Report skipped_barrier(const Block& block) {
    return block_report(FaultKind::barrier, cudaErrorLaunchFailure,
                        "barrier left out: " + waiting_threads(block, true) +
                            ". All threads of a block must reach a __syncthreads(), or none: move it out of "
                            "the branch, and let no thread return before it");
}

Report deadlock(const Block& block) {
    return block_report(FaultKind::deadlock, cudaErrorLaunchTimeout,
                        "deadlock: no thread can continue: " + waiting_threads(block));
}

/// CUDA refuses such a launch or, if the kernel declares too much, such a program. Here, what a kernel
/// declares is not known before it runs.
Report too_much_shared(const Block& block) {
    const Grid& grid = block.grid();
    const std::size_t bytes = block.shared().static_bytes();
    const bool alone = bytes > kStaticSharedBytes;
    const std::string rule =
        alone ? ", but may declare at most " + std::to_string(kStaticSharedBytes)
              : " and the launch adds " + std::to_string(grid.config.dynamic_shared_bytes) +
                    ", but a block may use at most " + std::to_string(grid.shared_limit.all_bytes);
    return block_report(FaultKind::other, alone ? cudaErrorLaunchFailure : cudaErrorInvalidValue,
                        "the kernel declares " + std::to_string(bytes) + " bytes of shared memory" + rule);
}

Report damaged_shared(const std::string& damage) {
    return block_report(FaultKind::address, cudaErrorIllegalAddress, "a thread has written to " + damage);
}

// --- Its running thread -------------------------------------------------------------------------

Report thrown_exception(const Block& block, const std::string& what) {
    return broken_rule(block, "throws an exception" + what + ", but device code has no exceptions");
}

Report launch_by_kernel(const Block& block, Kernel kernel) {
    return broken_rule(
        block, "launches " + launch_text(kernel) +
                   ": kernels can launch kernels only in a program of your own, which ./course run builds");
}

Report wait_for_ordinary_grid(const Block& block) {
    return broken_rule(block,
                       "waits for the grid, but the kernel was not launched by cudaLaunchCooperativeKernel");
}

Report failed_assertion(const Block& block, const char* what, Site site) {
    return block_report(FaultKind::other, cudaErrorAssert,
                        running_thread(block) + " at " + text(site) + " fails its assertion: " + what);
}

Report wrong_mask(const Block& block, const char* function, Site site) {
    return broken_rule(block,
                       std::string("is not in the mask it passes to ") + function + " at " + text(site));
}

Report ended_block(const Block& block, uint3 ended, Site site) {
    return block_report(FaultKind::deadlock, cudaErrorLaunchTimeout,
                        "deadlock: " + running_thread(block) + " waits for the whole grid at " + text(site) +
                            ", but block " + text(ended) + " has ended");
}

Report no_progress(const Block& block) {
    const std::string seconds = "for " + std::to_string(block.grid().timeout) + " s ";
    return thread_report(
        block, FaultKind::no_progress, cudaErrorLaunchTimeout,
        "makes no progress: " +
            (block.watchdog().waits_endlessly(block.threads())
                 ? "the threads of its block have waited for each other " +
                       std::to_string(block.watchdog().most_waits()) + " times, and " + seconds +
                       "none has returned. They may loop forever"
                 : seconds + "it has neither returned nor reached a barrier. It may loop forever, or "
                             "wait for a thread that can't run until this one waits or returns") +
            (block.grid().advises ? " (CUDA_SIM_TIMEOUT sets the limit in seconds)" : ""));
}

Report call_of_exit(const Block& block) {
    return thread_report(block, FaultKind::other, cudaErrorLaunchFailure,
                         "calls exit(), which device code can't do");
}

Report bad_index(const Block& block, std::uint64_t index, const char* array) {
    std::string type = array;  // 'int [31]' from g++, 'int[31]' from clang
    if (const std::size_t space = type.find(" ["); space != std::string::npos) type.erase(space, 1);
    return thread_report(
        block, FaultKind::address, cudaErrorLaunchFailure,
        "uses index " + std::to_string(static_cast<std::int64_t>(index)) + " of an array of type " + type);
}

Report missing_return(const Block& block, Site function) {
    return broken_rule(block,
                       "reaches the end of the function at " + text(function) + " without returning a value");
}

Report bad_address(const Block& block, const void* address) {
    const std::string copy = copy_text(address, true);
    return thread_report(block, FaultKind::address,
                         copy.empty() ? cudaErrorIllegalAddress : cudaErrorLaunchFailure,
                         "uses " + address_text(block, address) + copy);
}

/// The compiler's alignment checks also report a null pointer here.
Report misaligned_address(const Block& block, const void* address) {
    if (address == nullptr) return bad_address(block, address);
    return thread_report(block, FaultKind::address, cudaErrorMisalignedAddress,
                         std::string("uses ") + kMisaligned);
}

Report trapped(const Block& block, platform::Trap trap, const void* address) {
    using platform::Trap;
    if (trap == Trap::no_address)
        return thread_report(block, FaultKind::address, cudaErrorMisalignedAddress,
                             std::string("uses ") + kMisaligned + " or is invalid");
    const std::string what =
        trap == Trap::division              ? "divides an integer by zero"
        : trap == Trap::illegal_instruction ? "executes a trap instruction, as __trap() does"
        : trap == Trap::abort               ? "calls abort(), which device code can't do"
        : block.is_stack_overflow(address)  ? "needs more than " + std::to_string(kLocalBytes / 1024) +
                                                 " KiB of stack for its local variables and calls"
                                           : "";
    if (what.empty()) return bad_address(block, address);
    return thread_report(block, FaultKind::other, cudaErrorLaunchFailure, what);
}

// --- Its warps ----------------------------------------------------------------------------------

std::string undefined_result(const Block& block, const UndefinedLane& undefined) {
    const Thread& thread = block.threads().all[undefined.thread];
    const unsigned int first = undefined.thread / warpSize * warpSize, lane = undefined.thread % warpSize;
    const auto lane_text = [](unsigned int number) { return "lane " + std::to_string(number); };
    return launch_text(block.grid().kernel) + ", block " + text(blockIdx) + ": " + lane_text(lane) +
           " of a warp (thread " + text(thread.index) + ") gets an undefined " + thread.chain->variable +
           " from " + thread.function + " at " + text(thread.site) + ": " +
           (undefined.reader == lane ? "it"
                                     : "it uses the value of " + lane_text(undefined.reader) + ", which") +
           " reads " + lane_text(undefined.source) + ", which " +
           absence_text(block, first + undefined.source, thread.mask);
}

}  // namespace sim
