/// @file
/// @brief Blocks and threads: fibers, barriers, warp exchanges, and what is said when they fail.
#include "scheduler.h"

#include <signal.h>
#include <sys/mman.h>

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

char* map_memory(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(memory);
}

std::string text(const Site& site) {
    return std::string(site.file) + ":" + std::to_string(site.line);
}

std::string text(const uint3& v, const dim3& shape) {
    std::string result = std::to_string(v.x);
    if (shape.y > 1 || shape.z > 1) result += ", " + std::to_string(v.y);
    if (shape.z > 1) result += ", " + std::to_string(v.z);
    return "(" + result + ")";
}

constexpr std::size_t kSharedRegionBytes = 256 * 1024;
constexpr std::size_t kSignalStackBytes = 64 * 1024;

}  // namespace

Grid::Grid(const LaunchConfig& config_, const char* kernel_name_, Site site_, ThreadLoop loop_,
           const void* kernel_, std::uint64_t seed_)
    : config(config_),
      kernel_name(kernel_name_),
      site(site_),
      loop(loop_),
      kernel(kernel_),
      seed(seed_),
      blocks(std::uint64_t{config_.grid.x} * config_.grid.y * config_.grid.z) {
    if (seed == 0) return;
    std::mt19937_64 random(seed);
    first_block = random() % blocks;
    block_stride = random() % (1u << 16) | 1;
    while (std::gcd(block_stride, blocks) != 1) block_stride += 2;
}

Stack::Stack(std::size_t color) : base_(map_memory(kBytes)), top_(base_ + kBytes - color % 64 * 64) {
    mprotect(base_, kGuardBytes, PROT_NONE);
}
Stack::Stack(Stack&& other) noexcept : base_(other.base_), top_(other.top_) {
    other.base_ = nullptr;
}
Stack::~Stack() {
    if (base_ != nullptr) munmap(base_, kBytes);
}

Worker::Worker()
    : shared_region_(map_memory(kSharedRegionBytes + Stack::kGuardBytes)), signal_stack_(kSignalStackBytes) {
    mprotect(shared_region_ + kSharedRegionBytes, Stack::kGuardBytes, PROT_NONE);
}

Worker::~Worker() {
    munmap(shared_region_, kSharedRegionBytes + Stack::kGuardBytes);
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
        if (k >= grid.blocks || !run_block(grid.block_at(k))) break;
    }

    running_worker = nullptr;
    sigaltstack(&previous, nullptr);
}

void Worker::set_up(Grid& grid) {
    grid_ = &grid;
    const dim3 block = grid.config.block;
    gridDim = grid.config.grid;
    blockDim = block;
    if (block.x != shape_.x || block.y != shape_.y || block.z != shape_.z) {
        shape_ = block;
        count_ = block.x * block.y * block.z;
        threads_.resize(count_);
        state_storage_.resize(count_);
        index_storage_.clear();
        for (unsigned int z = 0; z < block.z; ++z)
            for (unsigned int y = 0; y < block.y; ++y)
                for (unsigned int x = 0; x < block.x; ++x) index_storage_.push_back({x, y, z});
        order_storage_.resize(count_);
        indices_ = index_storage_.data();
        order_ = order_storage_.data();
        states_ = state_storage_.data();
    }
    std::iota(order_storage_.begin(), order_storage_.end(), 0u);
    const std::size_t bytes = (grid.config.dynamic_shared_bytes + 15) / 16 * 16;
    dynamic_shared_ = shared_region_ + kSharedRegionBytes - bytes;
}

bool Worker::run_block(std::uint64_t block) {
    const dim3& grid = grid_->config.grid;
    blockIdx = {static_cast<unsigned int>(block % grid.x), static_cast<unsigned int>(block / grid.x % grid.y),
                static_cast<unsigned int>(block / grid.x / grid.y)};
    ++block_serial;
    static_shared_bytes_ = 0;
    std::memset(dynamic_shared_, kPoison, grid_->config.dynamic_shared_bytes);
    pause_random_ = grid_->seed + block;
    if (grid_->seed != 0) {
        random_.seed(grid_->seed + block);
        std::shuffle(order_storage_.begin(), order_storage_.end(), random_);
    }
    std::fill(state_storage_.begin(), state_storage_.end(), ThreadState::unstarted);
    next_ = at_barrier_ = votes_ = waiting_ = 0;
    live_ = count_;
    faulted_ = false;

    while (next_ < count_ && !faulted_) start_fiber();
    while (live_ > 0 && !faulted_) {
        bool progress = false;
        for (unsigned int place = 0; place < count_ && !faulted_; ++place) {
            const unsigned int thread = order_[place];
            if (states_[thread] != ThreadState::ready) continue;
            progress = true;
            states_[thread] = ThreadState::runs;
            current_ = thread;
            threadIdx = indices_[thread];
            run_fiber(threads_[thread].context, threads_[thread].stack);
        }
        if (!progress)
            record_fault(cudaErrorLaunchTimeout, "deadlock: no thread can go on: " + waiting_threads());
    }
    if (!faulted_) return true;

    // Threads that still wait are forgotten with their stacks, as a GPU forgets a failed grid's.
    free_stacks_.resize(stacks_.size());
    std::iota(free_stacks_.begin(), free_stacks_.end(), 0u);
    for (const Stack& stack : stacks_) __asan_unpoison_memory_region(stack.bottom(), stack.bytes());
    return false;
}

// --- Fibers -------------------------------------------------------------------------------------

void Worker::start_fiber() {
    if (free_stacks_.empty()) {
        free_stacks_.push_back(static_cast<unsigned int>(stacks_.size()));
        stacks_.emplace_back(stacks_.size());
    }
    const unsigned int stack = free_stacks_.back();
    free_stacks_.pop_back();
    run_fiber(make_fcontext(stacks_[stack].top(), stacks_[stack].bytes(), fiber_main), stack);
}

/// Switches to a fiber, until it waits or has no thread left to run.
void Worker::run_fiber(boost::context::detail::fcontext_t context, unsigned int stack) {
    current_stack_ = stack;
    void* sanitizer_state = nullptr;
    __sanitizer_start_switch_fiber(&sanitizer_state, stacks_[stack].bottom(), stacks_[stack].bytes());
    const transfer_t from = jump_fcontext(context, this);
    __sanitizer_finish_switch_fiber(sanitizer_state, nullptr, nullptr);
    if (from.data == nullptr) {
        free_stacks_.push_back(stack);
    } else {
        Thread* const waiting = static_cast<Thread*>(from.data);
        waiting->context = from.fctx;
        waiting->stack = stack;
    }
}

void Worker::fiber_main(transfer_t from) {
    Worker& worker = *static_cast<Worker*>(from.data);
    __sanitizer_finish_switch_fiber(nullptr, &worker.scheduler_stack_, &worker.scheduler_stack_bytes_);
    worker.scheduler_ = from.fctx;
    worker.grid_->loop(worker.grid_->kernel, worker);
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

/// One time in eight, lets the other threads go first. Called where code is compiled to be interrupted.
void Worker::maybe_pause() {
    if (!in_kernel_) return;
    pause_random_ = pause_random_ * 6364136223846793005u + 1442695040888963407u;
    if (pause_random_ >> 61 != 0) return;
    const InSimulator here(*this);
    states_[current_] = ThreadState::ready;
    leave_fiber(&threads_[current_]);
}

void Worker::wait(ThreadState state, Site site) {
    Thread& thread = threads_[current_];
    thread.site = site;
    states_[current_] = state;
    ++waiting_;
    leave_fiber(&thread);
}

// --- Barriers and warps -------------------------------------------------------------------------

BarrierResult Worker::wait_at_barrier(bool predicate, Site site) {
    const InSimulator here(*this);
    if (at_barrier_ == 0) {
        barrier_site_ = site;
        barrier_diverged_ = false;
    } else if (site.line != barrier_site_.line || std::strcmp(site.file, barrier_site_.file) != 0) {
        barrier_diverged_ = true;
    }
    ++at_barrier_;
    votes_ += predicate;
    if (at_barrier_ < live_) {
        wait(ThreadState::at_barrier, site);
    } else {
        threads_[current_].site = site;
        release_barrier();
    }
    return released_;
}

void Worker::release_barrier() {
    if (barrier_diverged_) {
        if (states_[current_] == ThreadState::runs) states_[current_] = ThreadState::at_barrier;
        fault(cudaErrorLaunchFailure, "divergent barrier: " + waiting_threads());
    }
    for (ThreadState& state : state_storage_) {
        if (state == ThreadState::at_barrier) {
            state = ThreadState::ready;
            --waiting_;
        }
    }
    released_ = {at_barrier_, votes_};
    at_barrier_ = votes_ = 0;
}

std::uint64_t Worker::exchange(WarpOperation operation, unsigned int mask, std::uint64_t value,
                               unsigned int source, Site site) {
    const InSimulator here(*this);
    if ((mask >> lane() & 1) == 0)
        fault(cudaErrorLaunchFailure, text(site) + ": the mask leaves out the lane that calls");
    Thread& thread = threads_[current_];
    thread.operation = operation;
    thread.mask = mask;
    thread.value = value;
    thread.source = source;
    states_[current_] = ThreadState::at_warp;
    ++waiting_;
    if (complete_exchange(thread)) {
        states_[current_] = ThreadState::runs;
    } else {
        --waiting_;
        wait(ThreadState::at_warp, site);
    }
    return thread.result;
}

/// Gives every lane of the mask its result and lets it go on, if all of them have come.
bool Worker::complete_exchange(const Thread& asking) {
    const unsigned int first = static_cast<unsigned int>(&asking - threads_.data()) / warpSize * warpSize;
    const unsigned int lanes = std::min<unsigned int>(warpSize, count_ - first);
    unsigned int members = 0;
    for (unsigned int i = 0; i < lanes; ++i) {
        if ((asking.mask >> i & 1) == 0 || states_[first + i] == ThreadState::returned) continue;
        const Thread& other = threads_[first + i];
        const bool here = states_[first + i] == ThreadState::at_warp && other.mask == asking.mask &&
                          other.operation == asking.operation;
        if (!here) return false;
        members |= 1u << i;
    }

    const auto each = [&](auto visit) {
        for (unsigned int i = 0; i < lanes; ++i)
            if (members >> i & 1) visit(i, threads_[first + i]);
    };
    std::uint64_t total = 0;
    switch (asking.operation) {
        case WarpOperation::sync: break;
        case WarpOperation::shuffle: {
            // A lane that reads from one that is not here gets what CUDA calls undefined: poison.
            std::uint64_t poison;
            std::memset(&poison, kPoison, sizeof(poison));
            each([&](unsigned int, Thread& thread) {
                const bool valid = thread.source < lanes && (members >> thread.source & 1);
                thread.result = valid ? threads_[first + thread.source].value : poison;
            });
            break;
        }
        case WarpOperation::match:
            each([&](unsigned int, Thread& thread) {
                thread.result = 0;
                each([&](unsigned int i, const Thread& other) {
                    thread.result |= std::uint64_t{other.value == thread.value} << i;
                });
            });
            break;
        case WarpOperation::ballot:
            each([&](unsigned int i, const Thread& thread) { total |= thread.value << i; });
            break;
        case WarpOperation::add:
            each([&](unsigned int, const Thread& thread) { total += thread.value; });
            break;
        case WarpOperation::minimum:
            total = ~std::uint64_t{0};
            each([&](unsigned int, const Thread& thread) { total = std::min(total, thread.value); });
            break;
        case WarpOperation::maximum:
            each([&](unsigned int, const Thread& thread) { total = std::max(total, thread.value); });
            break;
        case WarpOperation::bit_and:
            total = ~std::uint64_t{0};
            each([&](unsigned int, const Thread& thread) { total &= thread.value; });
            break;
        case WarpOperation::bit_or:
            each([&](unsigned int, const Thread& thread) { total |= thread.value; });
            break;
        case WarpOperation::bit_xor:
            each([&](unsigned int, const Thread& thread) { total ^= thread.value; });
            break;
    }
    const bool own_results =
        asking.operation == WarpOperation::shuffle || asking.operation == WarpOperation::match;
    each([&](unsigned int i, Thread& thread) {
        if (!own_results) thread.result = total;
        states_[first + i] = ThreadState::ready;
        --waiting_;
    });
    return true;
}

/// A thread has returned: those that waited for it alone can go on.
void Worker::thread_finished() {
    if (at_barrier_ != 0 && at_barrier_ == live_) release_barrier();
    const unsigned int first = current_ / warpSize * warpSize;
    const unsigned int end = std::min(first + warpSize, count_);
    for (unsigned int i = first; i < end; ++i)
        if (states_[i] == ThreadState::at_warp) complete_exchange(threads_[i]);
}

void ThreadQueue::finished_while_others_wait() {
    static_cast<Worker*>(this)->thread_finished();
}

// --- Shared memory ------------------------------------------------------------------------------

void Worker::begin_shared(volatile void* variable, std::size_t bytes, std::uint64_t& serial) {
    const InSimulator here(*this);
    serial = block_serial;
    static_shared_bytes_ += bytes;
    if (static_shared_bytes_ > kStaticSharedBytes)
        fault(cudaErrorLaunchFailure, "the kernel declares " + std::to_string(static_shared_bytes_) +
                                          " bytes of shared memory, and a block has 49152");
    std::memset(const_cast<void*>(variable), kPoison, bytes);
}

// --- Faults -------------------------------------------------------------------------------------

void Worker::record_fault(cudaError_t error, const std::string& what) {
    faulted_ = true;
    grid_->failed = true;
    const std::lock_guard<std::mutex> lock(grid_->fault_lock);
    if (grid_->error != cudaSuccess) return;
    grid_->error = error;
    grid_->fault = std::string(grid_->kernel_name) + " (launched at " + text(grid_->site) + "), block " +
                   text(blockIdx, grid_->config.grid) + ": " + what;
}

void Worker::fault(cudaError_t error, const std::string& what) {
    record_fault(error, what);
    leave_fiber(nullptr);
    std::abort();  // a fiber that has left for good does not come back
}

void Worker::fault_at(const void* address, bool general_protection) {
    const std::string thread = "thread " + text(indices_[current_], shape_);
    const Stack& stack = stacks_[current_stack_];
    if (address >= stack.guard() && address < stack.bottom())
        fault(cudaErrorLaunchFailure, thread + " needs more than " + std::to_string(stack.bytes() / 1024) +
                                          " KiB of stack for its local variables and calls");
    if (general_protection)
        fault(cudaErrorMisalignedAddress,
              thread + " uses an address that is no multiple of its type's alignment");
    char hexadecimal[32];
    std::snprintf(hexadecimal, sizeof(hexadecimal), "%p", address);
    fault(cudaErrorIllegalAddress, thread + " uses address " + hexadecimal + ", where no memory is");
}

/// In words: which threads wait where, neighbours together.
std::string Worker::waiting_threads() const {
    std::string result;
    const auto same = [&](unsigned int a, unsigned int b) {
        return states_[a] == states_[b] && threads_[a].site.line == threads_[b].site.line &&
               std::strcmp(threads_[a].site.file, threads_[b].site.file) == 0;
    };
    for (unsigned int first = 0, last; first < count_; first = last + 1) {
        last = first;
        if (states_[first] != ThreadState::at_barrier && states_[first] != ThreadState::at_warp) continue;
        while (last + 1 < count_ && same(first, last + 1)) ++last;
        if (!result.empty()) result += "; ";
        result += first == last ? "thread " + std::to_string(first) + " waits"
                                : "threads " + std::to_string(first) + "-" + std::to_string(last) + " wait";
        if (states_[first] == ThreadState::at_warp) result += " for their warp";
        result += " at " + text(threads_[first].site);
    }
    return result;
}

namespace {

void on_signal(int signal, siginfo_t* info, void*) {
    if (running_worker == nullptr) {  // not a kernel's: die of it as usual
        ::signal(signal, SIG_DFL);
        return;
    }
    if (signal == SIGFPE) running_worker->fault(cudaErrorLaunchFailure, "an integer is divided by zero");
    running_worker->fault_at(info->si_addr, info->si_code == SI_KERNEL);
}

}  // namespace

void install_fault_handler() {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE}) sigaction(signal, &action, nullptr);
}

// --- What kernels call --------------------------------------------------------------------------

BarrierResult barrier(bool predicate, Site site) {
    return running_worker->wait_at_barrier(predicate, site);
}

std::uint64_t warp_exchange(WarpOperation operation, unsigned int mask, std::uint64_t value,
                            unsigned int source, Site site) {
    return running_worker->exchange(operation, mask, value, source, site);
}

unsigned int lane() {
    return running_worker->lane();
}

void* dynamic_shared_memory() {
    return running_worker->dynamic_shared();
}

void begin_shared(volatile void* variable, std::size_t bytes, std::uint64_t& serial) {
    running_worker->begin_shared(variable, bytes, serial);
}

void misaligned(const void* address) {
    running_worker->fault_at(address, true);
}

long long device_clock() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace sim
