/// @file
/// @brief How broken rules are detected, except by signals (traps.cpp) and among threads that wait
/// (block.cpp).
#include "faults.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../memory/device_memory.hpp"
#include "../memory/redzones.hpp"
#include "errors.hpp"
#include "report.hpp"

namespace sim {

void require_not_in_redzone(Block& block, const void* address, bool or_shared) {
    const auto is_outside = [&] {
        // Otherwise, a tick could put the thread to sleep while it holds the lock on memory.
        const Block::InSimulator here(block);
        return !block.shared().has(address) &&
               (is_in_redzone(address) || (or_shared && block.shared().is_in_redzone(address)));
    };
    if (is_outside()) block.stop(bad_address, address);
}

/// Ends the program at once: a call of `exit` that has begun can't be undone.
void refuse_exit_of_kernel() {
    if (running_block == nullptr) return;
    const Block::InSimulator here(*running_block);
    Grid& grid = running_block->grid();
    grid.fail(call_of_exit(*running_block));
    set_fault(grid.report.error, grid.report.fault);
    tell_fault();
    std::fflush(nullptr);
    std::_Exit(1);
}

void misaligned(const void* address) { running_block->stop(misaligned_address, address); }

}  // namespace sim

using sim::running_block;

/// Called by `assert` instead of the C library's function.
extern "C" [[noreturn]] void __assert_fail(const char* what, const char* file, unsigned int line,
                                           const char* function) noexcept {
    if (running_block != nullptr)
        running_block->stop(sim::failed_assertion, what, {file, static_cast<int>(line)});
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, what);
    std::abort();
}

/// @name Functions that code compiled with `-fsanitize=alignment,bounds,integer-divide-by-zero,return` calls,
/// defined here in place of UndefinedBehaviorSanitizer's library
/// @{
extern "C" [[noreturn]] void __ubsan_handle_type_mismatch_v1_abort(void*, void* address) {
    if (running_block != nullptr) sim::misaligned(address);
    sim::fail_on_cpu(address == nullptr ? "a null pointer" : sim::kMisaligned);
}
/// Clang's code calls this function for a false `__builtin_assume_aligned`.
extern "C" [[noreturn]] void __ubsan_handle_alignment_assumption_abort(void*, void* address, std::uintptr_t,
                                                                       std::uintptr_t) {
    __ubsan_handle_type_mismatch_v1_abort(nullptr, address);
}
/// An array's type, as the sanitizer describes it: the name comes after two 16-bit numbers.
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
    if (running_block != nullptr) running_block->stop(sim::bad_index, index, what->array->name);
    sim::fail_on_cpu("an index outside its array");
}
/// Called on CPUs that do not trap at a division by 0: raises the signal that an x86 CPU would raise.
extern "C" [[noreturn]] void __ubsan_handle_divrem_overflow_abort(void*, std::uintptr_t, std::uintptr_t) {
    std::raise(SIGFPE);
    std::abort();  // the program has a handler of its own, which has returned
}
struct MissingReturn {
    const char* file;
    std::uint32_t line, column;  ///< where the function's name is
};
extern "C" [[noreturn]] void __ubsan_handle_missing_return(const MissingReturn* what) {
    const sim::Site function{what->file, static_cast<int>(what->line)};
    if (running_block != nullptr) running_block->stop(sim::missing_return, function);
    sim::tell("host code reaches the end of the function at " + sim::text(function) +
              " without returning a value");
    std::abort();
}
/// @}

// In a program from elsewhere (one that is not the course's), signed arithmetic that overflows calls these
// functions, which may return. UndefinedBehaviorSanitizer's own functions, which they call, report it and end
// the program.
struct Overflow {
    const char* file;
    std::uint32_t line, column;
    const struct {
        std::uint16_t is_float, width_and_sign;  ///< the width's binary logarithm, and one bit for the sign
    } * type;
};
/// A number that differs from poison by at most this is assumed to be a sum of poison and a few indices or
/// counts.
constexpr std::int64_t kNearPoison = 4096;
/// Reports an overflow, and says if poison is its cause. An undefined value from a shuffle may overflow in a
/// lane whose result is not used: this is not reported.
static void report_overflow(const Overflow* what, std::uintptr_t left, std::uintptr_t right,
                            void (*report)(const Overflow*, std::uintptr_t, std::uintptr_t)) {
    if (running_block != nullptr && running_block->is_undefined()) return;
    const std::uint64_t bits = std::min(1u << (what->type->width_and_sign >> 1), 64u);
    const std::uint64_t poison = 0x0101010101010101u * sim::kPoison >> (64 - bits);
    for (const std::uint64_t value : {left, right}) {
        const auto more = static_cast<std::int64_t>((value - poison) << (64 - bits)) >> (64 - bits);
        if (running_block == nullptr || more < -kNearPoison || more > kNearPoison) continue;
        char number[32];
        std::snprintf(number, sizeof(number), "0x%zX", poison);
        const std::string sum = more == 0 ? "" : (more < 0 ? " - " : " + ") + std::to_string(std::abs(more));
        sim::tell(number + sum + " at " + sim::text({what->file, static_cast<int>(what->line)}) + " " +
                  sim::kPoisonSource + ":");
        break;
    }
    if (report == nullptr) std::abort();
    report(what, left, right);
}
#define SIM_OVERFLOW(name)                                                                                \
    extern "C" [[gnu::weak]] void __ubsan_handle_##name##_overflow_abort(const Overflow*, std::uintptr_t, \
                                                                         std::uintptr_t);                 \
    extern "C" void __ubsan_handle_##name##_overflow(const Overflow* what, std::uintptr_t left,           \
                                                     std::uintptr_t right) {                              \
        report_overflow(what, left, right, __ubsan_handle_##name##_overflow_abort);                       \
    }
SIM_OVERFLOW(add)
SIM_OVERFLOW(sub)
SIM_OVERFLOW(mul)
