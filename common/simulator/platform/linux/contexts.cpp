/// @file
/// @brief Linux: switching between stacks, on x86-64 and 64-bit Arm.
///
/// The C library's `swapcontext` also switches the signal mask, by a system call. It takes over 400 ns per
/// switch; the code below takes less than 10. Boost.Context can switch without the system call, but its
/// public API allocates and frees a stack for each fiber. These few instructions need no library.
#include <cstdint>
#include <cstring>

#include "../platform.hpp"

// A context is the stack pointer of a suspended call. From there upwards, the stack holds the registers that
// a function must preserve, and the address at which the call continues. A new call has a 0 in place of its
// caller's address, at which debuggers and unwinders stop.

#if defined(__x86_64__)

asm(R"(
.text
.globl sim_switch_context
.type sim_switch_context, @function
sim_switch_context:
    leaq -56(%rsp), %rsp
    stmxcsr (%rsp)          # how floating-point numbers are rounded
    fnstcw 4(%rsp)
    movq %r15, 8(%rsp)
    movq %r14, 16(%rsp)
    movq %r13, 24(%rsp)
    movq %r12, 32(%rsp)
    movq %rbx, 40(%rsp)
    movq %rbp, 48(%rsp)
    movq %rsp, %rax         # what is returned: from, data
    movq %rsi, %rdx
    movq %rdi, %rsp
    movq %rax, %rdi         # the same, for a call that begins
    movq 56(%rsp), %r8
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    movq 8(%rsp), %r15
    movq 16(%rsp), %r14
    movq 24(%rsp), %r13
    movq 32(%rsp), %r12
    movq 40(%rsp), %rbx
    movq 48(%rsp), %rbp
    leaq 64(%rsp), %rsp
    jmpq *%r8               # a return would be mispredicted
.size sim_switch_context, .-sim_switch_context
)");

namespace sim::platform {

Context make_context(char* top, void (*enter)(Context from, void* data)) {
    std::uint64_t frame[9]{};  // rounding, r15 to rbp, where the call continues, its caller's address
    std::uint32_t vectors = 0;
    std::uint16_t x87 = 0;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vectors), "=m"(x87));
    frame[0] = vectors | std::uint64_t{x87} << 32;
    frame[7] = reinterpret_cast<std::uint64_t>(enter);
    return std::memcpy(top - sizeof(frame), frame, sizeof(frame));
}

}  // namespace sim::platform

#elif defined(__aarch64__)

asm(R"(
.text
.globl sim_switch_context
.type sim_switch_context, %function
sim_switch_context:
    sub sp, sp, #176
    stp d8, d9, [sp]
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    stp x25, x26, [sp, #112]
    stp x27, x28, [sp, #128]
    stp x29, x30, [sp, #144]
    str x30, [sp, #160]     // where it continues
    mov x2, sp
    mov sp, x0
    mov x0, x2              // from; x1 is data: both are returned, and passed to a call that begins
    ldp d8, d9, [sp]
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldp x25, x26, [sp, #112]
    ldp x27, x28, [sp, #128]
    ldp x29, x30, [sp, #144]
    ldr x3, [sp, #160]
    add sp, sp, #176
    ret x3                  // a branch would need a landing pad where the CPU checks branches (BTI)
.size sim_switch_context, .-sim_switch_context
)");

namespace sim::platform {

Context make_context(char* top, void (*enter)(Context from, void* data)) {
    std::uint64_t frame[22]{};
    frame[20] = reinterpret_cast<std::uint64_t>(enter);
    return std::memcpy(top - sizeof(frame), frame, sizeof(frame));
}

}  // namespace sim::platform

#else
#error "The simulator runs on x86-64 and on 64-bit Arm: for another processor, write its switch here"
#endif

namespace sim::platform {
void call_apart(const std::function<void()>& work) { work(); }
}  // namespace sim::platform
