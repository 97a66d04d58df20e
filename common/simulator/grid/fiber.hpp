/// @file
/// @brief Fibers: function calls with their own stacks, which can be suspended and resumed.
///
/// The calls of `__sanitizer_…_switch_fiber` tell AddressSanitizer about switches; in other builds they do
/// nothing.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "../memory/redzones.hpp"
#include "../platform/platform.hpp"
#include "../platform/sanitizer.hpp"

namespace sim {

/// Tells AddressSanitizer that the frames on a stack, or on a part of one, are no longer in use.
inline void forget_frames(const void* stack, std::size_t bytes) {
    __asan_unpoison_memory_region(stack, bytes);
}

/// @brief The fibers of one OS thread, numbered from 0. All of them call the same function object.
///
/// One fiber runs at a time, until it is suspended or its function returns. Then the call of `start` or
/// `resume` that made it run returns, unless the fiber has switched to another one (`leave_for`).
template <typename Work>
class Fibers {
 public:
    static constexpr std::size_t kStackBytes = kLocalBytes + kOwnStackBytes;

    Fibers(unsigned int most, Work work)
        : work_(std::move(work)), stacks_(most * (kGuardBytes + kStackBytes)), contexts_(most) {}

    void start(unsigned int number) {
        while (accessible_ <= number) allow_stack();
        // The tops differ by some cache lines. Otherwise, frames at the same depth in different stacks would
        // compete for the same cache sets.
        char* const top = bottom(number) + kStackBytes - number % 64 * 64;
        forget_frames(top - 256,
                      256);  // make_context writes there, where a frame of an ended fiber may have been
        switch_to(number, platform::make_context(top, enter));
    }

    void resume(unsigned int number) { switch_to(number, contexts_[number]); }

    /// Called inside a fiber. Returns when the fiber is resumed.
    [[gnu::always_inline]] void leave() { switch_back(Leaving::for_now); }

    /// Like `leave`, but switches directly to another fiber instead of returning to the call that resumed
    /// this one.
    [[gnu::always_inline]] void leave_for(unsigned int number) {
        left_ = std::exchange(running_, number);
        void* sanitizer_state = nullptr;
        __sanitizer_start_switch_fiber(&sanitizer_state, bottom(number), kStackBytes);
        continue_from(platform::sim_switch_context(contexts_[number], this), sanitizer_state);
    }

    /// Called inside a fiber, also by a handler. The fiber can't be resumed afterwards, and the handler never
    /// returns. No destructor of their frames runs.
    [[noreturn]] void give_up() {
        platform::TrapStack::forget();  // last, because the frames of the callers are marked until here
        switch_back(Leaving::in_the_middle);
        std::abort();  // not reached
    }

    /// The number of the running fiber.
    unsigned int running() const { return running_; }

    /// Whether the running fiber's access to this address failed because its stack is full.
    bool is_stack_overflow(const void* address) const {
        return address >= bottom(running_) - kGuardBytes && address < bottom(running_);
    }

    /// Makes the guards accessible, so that all stacks are one mapping: a process can have only 65,530. From
    /// then on, an overflow is not detected.
    void leave_out_guards() {
        accessible_ = static_cast<unsigned int>(contexts_.size());
        allow(0, accessible_ * (kGuardBytes + kStackBytes));
    }

    /// Fibers 0 to `count - 1` will never be resumed.
    void forget(unsigned int count) { forget_frames(stacks_.data(), count * (kGuardBytes + kStackBytes)); }

 private:
    using Context = platform::Context;

    void allow(std::size_t offset, std::size_t bytes) {
        set_accessible(stacks_.data() + offset, bytes, true);
    }

    /// Makes one more stack accessible. If the process has no mapping left, makes all stacks accessible,
    /// without guards.
    void allow_stack() {
        try {
            allow(accessible_ * (kGuardBytes + kStackBytes) + kGuardBytes, kStackBytes);
            ++accessible_;
        } catch (const std::bad_alloc&) {
            leave_out_guards();
        }
    }

    /// A stack grows down to its bottom, below which is its guard.
    char* bottom(unsigned int number) const {
        return stacks_.data() + number * (kGuardBytes + kStackBytes) + kGuardBytes;
    }

    // After a switch, the CPU mispredicts where the functions on the new stack return to, which costs about
    // 5 ns per function. With the switching functions inlined, fewer returns are mispredicted.
    [[gnu::always_inline]] void switch_to(unsigned int number, Context context) {
        running_ = number;
        left_ = kNone;
        void* sanitizer_state = nullptr;
        __sanitizer_start_switch_fiber(&sanitizer_state, bottom(number), kStackBytes);
        const platform::Switched from = platform::sim_switch_context(context, this);
        __sanitizer_finish_switch_fiber(sanitizer_state, nullptr, nullptr);
        contexts_[running_] = from.from;
        const bool has_frames = from.data == nullptr;
        if (has_frames) forget_frames(bottom(running_), kStackBytes);
    }

    enum class Leaving { for_now, at_the_end, in_the_middle };

    [[gnu::always_inline]] void switch_back(Leaving how) {
        void* sanitizer_state = nullptr;
        __sanitizer_start_switch_fiber(how == Leaving::for_now ? &sanitizer_state : nullptr, starter_stack_,
                                       starter_stack_bytes_);
        continue_from(platform::sim_switch_context(starter_, how == Leaving::in_the_middle ? nullptr : this),
                      sanitizer_state);
    }

    /// Completes the switch that has resumed the running fiber.
    [[gnu::always_inline]] void continue_from(platform::Switched from, void* sanitizer_state) {
        __sanitizer_finish_switch_fiber(sanitizer_state, nullptr, nullptr);
        (left_ == kNone ? starter_ : contexts_[left_]) = from.from;
    }

    /// The first function of each fiber.
    static void enter(Context from, void* data) {
        Fibers& fibers = *static_cast<Fibers*>(data);
        __sanitizer_finish_switch_fiber(nullptr, &fibers.starter_stack_, &fibers.starter_stack_bytes_);
        fibers.starter_ = from;
        fibers.work_();
        fibers.switch_back(Leaving::at_the_end);
        std::abort();  // not reached
    }

    const Work work_;
    platform::Pages stacks_;         ///< a guard and a stack for each fiber
    unsigned int accessible_ = 0;    ///< how many of the stacks can be used
    std::vector<Context> contexts_;  ///< where each fiber continues
    unsigned int running_ = 0;
    static constexpr unsigned int kNone = ~0u;
    unsigned int left_ = kNone;  ///< the fiber that switched to the running one, if one did
    Context starter_ = nullptr;  ///< where `switch_to` continues
    // AddressSanitizer must be told which stack is in use.
    const void* starter_stack_ = nullptr;
    std::size_t starter_stack_bytes_ = 0;
};

}  // namespace sim
