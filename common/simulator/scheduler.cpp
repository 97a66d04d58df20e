/// @file
/// @brief Blocks and threads: fibers, barriers, warp exchanges, and what is said when they fail.
#include "scheduler.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SIM_ADDRESS_SANITIZER
#endif
#ifdef SIM_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
static void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
static void __asan_unpoison_memory_region(const volatile void*, std::size_t) {}
#endif

namespace sim {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

thread_local Worker* running_worker = nullptr;

namespace {

std::string text(const Site& site) { return std::string(site.file) + ":" + std::to_string(site.line); }

std::string text(const uint3& v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

constexpr std::size_t kGuardBytes = 64 * 1024;  // whole pages, however large the machine's are
constexpr std::size_t kStackBytes = 128 * 1024;
constexpr std::size_t kSharedRegionBytes = 256 * 1024;
constexpr std::size_t kSignalStackBytes = 64 * 1024;
static_assert(kSharedRegionBytes >= kSharedBytesPerBlock, "the region holds all that a launch may ask for");

}  // namespace

Pages::Pages(std::size_t bytes)
    : data_(static_cast<char*>(
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
      bytes_(bytes) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
}
Pages::~Pages() { munmap(data_, bytes_); }
void Pages::forbid(std::size_t offset, std::size_t bytes) {
    if (mprotect(data_ + offset, bytes, PROT_NONE) != 0) throw std::bad_alloc();
}

Worker::Worker()
    : threads_(kMaxThreadsPerBlock),
      stacks_(kMaxThreadsPerBlock * (kGuardBytes + kStackBytes)),
      shared_(kSharedRegionBytes + kGuardBytes),
      signal_stack_(kSignalStackBytes) {
    shared_.forbid(kSharedRegionBytes, kGuardBytes);
}

void Worker::run(Grid& grid) {
    stack_t signal_stack{}, previous{};
    signal_stack.ss_sp = signal_stack_.data();
    signal_stack.ss_size = signal_stack_.size();
    sigaltstack(&signal_stack, &previous);
    running_worker = this;

    set_up(grid);
    while (!grid.failed) {
        const std::uint64_t k = grid.next_block.fetch_add(1);
        if (k >= grid.blocks) break;
        if (!run_block((grid.first_block + k * grid.block_stride) % grid.blocks)) break;
    }

    running_worker = nullptr;
    sigaltstack(&previous, nullptr);
}

void Worker::set_up(Grid& grid) {
    grid_ = &grid;
    const dim3 block = grid.config.block;
    gridDim = grid.config.grid;
    blockDim = block;
    count_ = 0;
    for (unsigned int z = 0; z < block.z; ++z)
        for (unsigned int y = 0; y < block.y; ++y)
            for (unsigned int x = 0; x < block.x; ++x) indices_[count_++] = {x, y, z};
    const std::size_t aligned = (grid.config.dynamic_shared_bytes + 15) / 16 * 16;
    dynamic_shared.memory = shared_.data() + kSharedRegionBytes - aligned;
}

/// @return Whether the block has come to its end without a fault.
bool Worker::run_block(std::uint64_t block) {
    const dim3& grid = grid_->config.grid;
    blockIdx = {static_cast<unsigned int>(block % grid.x), static_cast<unsigned int>(block / grid.x % grid.y),
                static_cast<unsigned int>(block / grid.x / grid.y)};
    ++block_serial;
    static_shared_bytes_ = 0;
    std::memset(dynamic_shared.memory, kPoison, grid_->config.dynamic_shared_bytes);
    pause_random_ = grid_->seed + block;
    std::iota(order_, order_ + count_, 0u);
    if (grid_->seed != 0) {
        random_.seed(grid_->seed + block);
        std::shuffle(order_, order_ + count_, random_);
    }
    std::fill(states_, states_ + count_, ThreadState::unstarted);
    next_ = waiting_ = at_barrier_ = votes_ = 0;
    live_ = count_;
    faulted_ = barrier_diverged_ = has_stalled_ = false;

    while (next_ < count_ && !faulted_) start_fiber();
    while (live_ > 0 && !faulted_) {
        bool progress = false;
        for (unsigned int place = 0; place < count_ && !faulted_; ++place) {
            const unsigned int thread = order_[place];
            if (states_[thread] != ThreadState::ready) continue;
            progress = true;
            resume(thread);
            run_fiber(threads_[thread].context, threads_[thread].stack);
        }
        if (!progress)
            record_fault(cudaErrorLaunchTimeout, "deadlock: no thread can go on: " + waiting_threads());
    }
    // Threads that still wait are forgotten with their stacks, as a GPU forgets a failed grid's.
    if (faulted_)
        __asan_unpoison_memory_region(stack_bottom(0),
                                      stack_bottom(count_ - 1) + kStackBytes - stack_bottom(0));
    return !faulted_;
}

// --- Fibers -------------------------------------------------------------------------------------

char* Worker::stack_bottom(unsigned int stack) const {
    return stacks_.data() + stack * (kGuardBytes + kStackBytes) + kGuardBytes;
}

void Worker::start_fiber() {
    // The place of its first thread is a number that no other fiber of the block has.
    const unsigned int stack = next_;
    current_ = order_[next_];  // the one to name if the kernel's frame, inlined in the loop, does not fit
    for (; stacks_made_ <= stack; ++stacks_made_)
        stacks_.forbid(stack_bottom(stacks_made_) - kGuardBytes - stacks_.data(), kGuardBytes);
    // Tops that differ by some cache lines: stacks as deep as each other would compete for the
    // same sets of the cache.
    char* const top = stack_bottom(stack) + kStackBytes - stack % 64 * 64;
    run_fiber(make_fcontext(top, kStackBytes, fiber_main), stack);
}

/// Switches to a fiber, until it waits or has no thread left to run.
void Worker::run_fiber(Context context, unsigned int stack) {
    current_stack_ = stack;
    void* sanitizer_state = nullptr;
    __sanitizer_start_switch_fiber(&sanitizer_state, stack_bottom(stack), kStackBytes);
    const transfer_t from = jump_fcontext(context, this);
    __sanitizer_finish_switch_fiber(sanitizer_state, nullptr, nullptr);
    if (Thread* const waiting = static_cast<Thread*>(from.data)) {
        waiting->context = from.fctx;
        waiting->stack = stack;
    } else {  // the fiber has ended in a function that did not return, and left its marks on the stack
        __asan_unpoison_memory_region(stack_bottom(stack), kStackBytes);
    }
}

void Worker::fiber_main(transfer_t from) {
    Worker& worker = *static_cast<Worker*>(from.data);
    __sanitizer_finish_switch_fiber(nullptr, &worker.scheduler_stack_, &worker.scheduler_stack_bytes_);
    worker.scheduler_ = from.fctx;
    worker.grid_->loop(worker.grid_->thread, worker);
    worker.leave_fiber(nullptr);
}

/// Switches back to the scheduler; returns when it resumes the thread. A null thread never returns.
void Worker::leave_fiber(Thread* waiting) {
    void* sanitizer_state = nullptr;
    __sanitizer_start_switch_fiber(waiting ? &sanitizer_state : nullptr, scheduler_stack_,
                                   scheduler_stack_bytes_);
    const transfer_t from = jump_fcontext(scheduler_, waiting);
    __sanitizer_finish_switch_fiber(sanitizer_state, nullptr, nullptr);
    scheduler_ = from.fctx;
}

/// One time in eight, lets the other threads of the block go first; and once a block, other blocks, if the
/// store is to memory that they see. Called where code is compiled to be interrupted.
void Worker::maybe_pause(const void* store_to) {
    if (!in_kernel_) return;
    pause_random_ = pause_random_ * 6364136223846793005u + 1442695040888963407u;
    if (pause_random_ >> 61 != 0) return;
    const InSimulator here(*this);
    if (!has_stalled_ && pause_random_ >> 58 == 0 && is_device_memory(store_to)) {
        has_stalled_ = true;
        usleep(20);
    }
    states_[current_] = ThreadState::ready;
    leave_fiber(&threads_[current_]);
}

// --- Barriers and warps -------------------------------------------------------------------------

BarrierResult Worker::wait_at_barrier(bool predicate, Site site) {
    const InSimulator here(*this);
    if (at_barrier_ == 0) barrier_site_ = site;
    if (!(site == barrier_site_)) barrier_diverged_ = true;
    ++at_barrier_;
    votes_ += predicate;
    threads_[current_].site = site;
    states_[current_] = ThreadState::at_barrier;
    ++waiting_;
    if (at_barrier_ < live_) {
        leave_fiber(&threads_[current_]);
    } else {
        release_barrier();
        states_[current_] = ThreadState::runs;
    }
    return released_;
}

void Worker::release_barrier() {
    if (barrier_diverged_) {
        record_fault(cudaErrorLaunchFailure, "divergent barrier: " + waiting_threads());
        give_up();
    }
    std::replace(states_, states_ + count_, ThreadState::at_barrier, ThreadState::ready);
    waiting_ -= at_barrier_;
    released_ = {at_barrier_, votes_};
    at_barrier_ = votes_ = 0;
}

WarpValues Worker::exchange(const char* function, unsigned int mask, std::uint64_t value, Site site) {
    const InSimulator here(*this);
    if ((mask >> current_ % warpSize & 1) == 0) {
        record_fault(cudaErrorLaunchFailure,
                     thread_text() + " is not in the mask that it gives " + function + " at " + text(site));
        give_up();
    }
    WarpValues result;
    Thread& thread = threads_[current_];
    thread.site = site;
    thread.function = function;
    thread.mask = mask;
    thread.value = value;
    thread.result = &result;
    states_[current_] = ThreadState::at_warp;
    ++waiting_;
    if (complete_exchange(current_)) {
        states_[current_] = ThreadState::runs;
    } else {
        leave_fiber(&thread);
    }
    return result;
}

/// Tells every lane of the mask what all have brought and lets it go on, if all of them have come.
bool Worker::complete_exchange(unsigned int asking) {
    const Thread& first = threads_[asking];
    const unsigned int warp = asking / warpSize * warpSize;
    WarpValues all;
    std::memset(all.value, kPoison, sizeof(all.value));
    for (unsigned int i = std::min<unsigned int>(warpSize, count_ - warp); i-- > 0;) {  // the last comes last
        if ((first.mask >> i & 1) == 0 || states_[warp + i] == ThreadState::returned) continue;
        const Thread& other = threads_[warp + i];
        if (states_[warp + i] != ThreadState::at_warp || other.mask != first.mask ||
            std::strcmp(other.function, first.function) != 0)
            return false;
        all.lanes |= 1u << i;
        all.value[i] = other.value;
    }
    for (unsigned int i = 0; i < warpSize; ++i) {
        if ((all.lanes >> i & 1) == 0) continue;
        *threads_[warp + i].result = all;
        states_[warp + i] = ThreadState::ready;
        --waiting_;
    }
    return true;
}

/// A thread has returned: those that waited for it alone can go on.
void Worker::others_may_go_on() {
    if (at_barrier_ != 0 && at_barrier_ == live_) release_barrier();
    const unsigned int warp = current_ / warpSize * warpSize;
    for (unsigned int i = warp; i < std::min(warp + warpSize, count_); ++i)
        if (states_[i] == ThreadState::at_warp) complete_exchange(i);
}

// --- Faults -------------------------------------------------------------------------------------

void Worker::record_fault(cudaError_t error, const std::string& what) {
    faulted_ = true;
    grid_->failed = true;
    const std::lock_guard<std::mutex> lock(grid_->fault_lock);
    if (grid_->error != cudaSuccess) return;
    grid_->error = error;
    grid_->fault = std::string(grid_->kernel.name) + " (launched at " + text(grid_->kernel.site) +
                   "), block " + text(blockIdx) + ": " + what;
}

/// Ends the current thread after a fault. Nothing that its frames own is destroyed.
void Worker::give_up() {
    leave_fiber(nullptr);
    std::abort();  // a fiber that has left for good does not come back
}

std::string Worker::thread_text() const { return "thread " + text(indices_[current_]); }

/// In words: which threads wait where, neighbours together.
std::string Worker::waiting_threads() const {
    std::string result;
    for (unsigned int first = 0, last; first < count_; first = last + 1) {
        last = first;
        if (states_[first] != ThreadState::at_barrier && states_[first] != ThreadState::at_warp) continue;
        while (last + 1 < count_ && states_[first] == states_[last + 1] &&
               threads_[first].site == threads_[last + 1].site)
            ++last;
        if (!result.empty()) result += "; ";
        result += first == last ? "thread " + std::to_string(first) + " waits"
                                : "threads " + std::to_string(first) + "-" + std::to_string(last) + " wait";
        if (states_[first] == ThreadState::at_warp)
            result += std::string(" for the other lanes in ") + threads_[first].function;
        result += " at " + text(threads_[first].site);
    }
    return result;
}

void Worker::misaligned() {
    const InSimulator here(*this);
    record_fault(cudaErrorMisalignedAddress,
                 thread_text() + " uses an address that is misaligned for its type, or no address at all");
    give_up();
}

/// What the operating system says of a thread that it has stopped, in words.
void Worker::fault_by_signal(int signal, const siginfo_t& info) {
    const InSimulator here(*this);
    __asan_unpoison_memory_region(signal_stack_.data(), signal_stack_.size());
    const char* const address = static_cast<const char*>(info.si_addr);
    const char* const stack = stack_bottom(current_stack_);
    if (signal == SIGFPE) {
        record_fault(cudaErrorLaunchFailure, thread_text() + " divides an integer by zero");
    } else if (address >= stack - kGuardBytes && address < stack) {
        record_fault(cudaErrorLaunchFailure, thread_text() + " needs more than " +
                                                 std::to_string(kStackBytes / 1024) +
                                                 " KiB of stack for its local variables and calls");
    } else if (signal == SIGBUS || info.si_code == SI_KERNEL) {
        misaligned();  // so x86 reports it, and does not say which address
    } else {
        char hexadecimal[32];
        std::snprintf(hexadecimal, sizeof(hexadecimal), "%p", info.si_addr);
        record_fault(cudaErrorIllegalAddress,
                     thread_text() + " uses address " + hexadecimal + ", where no memory is");
    }
    give_up();
}

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
struct sigaction previous_actions[3];

void on_signal(int signal, siginfo_t* info, void*) {
    if (running_worker != nullptr) running_worker->fault_by_signal(signal, *info);
    // The host's own: what it does again after this is answered as it was before the launch.
    for (int i = 0; i < 3; ++i)
        if (kSignals[i] == signal) sigaction(signal, &previous_actions[i], nullptr);
}

}  // namespace

void catch_signals() {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &action, &previous_actions[i]);
}
void release_signals() {
    for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &previous_actions[i], nullptr);
}

// --- What kernels call --------------------------------------------------------------------------

BarrierResult barrier(bool predicate, Site site) { return running_worker->wait_at_barrier(predicate, site); }

WarpValues warp_exchange(const char* function, unsigned int mask, std::uint64_t value, Site site) {
    return running_worker->exchange(function, mask, value, site);
}

void begin_shared(std::uint64_t& done_for_block, std::initializer_list<SharedVariable> variables) {
    if (done_for_block == block_serial) return;  // by another thread, while this one was interrupted
    done_for_block = block_serial;
    running_worker->begin_shared(variables);
}

void Worker::begin_shared(std::initializer_list<SharedVariable> variables) {
    const InSimulator here(*this);
    const std::size_t dynamic_bytes = grid_->config.dynamic_shared_bytes;
    for (const SharedVariable& variable : variables) {
        static_shared_bytes_ += variable.bytes;
        if (static_shared_bytes_ > kStaticSharedBytes ||
            static_shared_bytes_ + dynamic_bytes > grid_->shared_limit.all_bytes) {
            record_too_much_shared();
            give_up();
        }
        std::memset(const_cast<void*>(variable.address), kPoison, variable.bytes);
    }
}

/// A launch that CUDA refuses, which can't be known before the kernel comes to what it declares.
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

void misaligned() { running_worker->misaligned(); }

void ThreadQueue::finished_while_others_wait() { static_cast<Worker*>(this)->others_may_go_on(); }

long long device_clock() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace sim
