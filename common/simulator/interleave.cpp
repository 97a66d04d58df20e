/// @file
/// @brief Threads that are interrupted in the midst of their work, so that races do their damage.
///
/// Without this, a thread runs until it waits, and no other thread of its block can come between
/// its load and its store. Code that is compiled with `-fsanitize=thread` calls a function before each
/// plain access to memory. Linked with this file instead of ThreadSanitizer's library, some of the
/// calls before a store let other threads go first: which ones depends on the seed alone. Blocks on
/// other cores come between where a store to device memory waits for some time.
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "scheduler.h"

namespace {

/// Before a store, what was loaded to compute it is already in a register.
void before_store(const void* address) {
    if (sim::running_worker != nullptr) return sim::running_worker->maybe_pause(address);
    // The CPU's own threads, chapter 01's, can be asked to let others go first, too.
    thread_local unsigned int stores = 0;
    if (++stores % 64 == 0) sched_yield();
}

}  // namespace

// The names and signatures are ThreadSanitizer's, as GCC and clang call them.
extern "C" {

/// Runs before main: unless the environment says otherwise, an order other than 0, 1, 2, …, and blocks
/// that run at the same time on any machine.
void __tsan_init() {
    setenv("CUDA_SIM_SEED", "7", 0);
    setenv("CUDA_SIM_WORKERS", "4", 0);
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(void*, std::size_t) {}
void __tsan_write_range(void* address, std::size_t) { before_store(address); }

#define SIM_ACCESS(bytes)                                                        \
    void __tsan_read##bytes(void*) {}                                            \
    void __tsan_write##bytes(void* address) { before_store(address); }           \
    void __tsan_read_write##bytes(void* address) { before_store(address); }      \
    void __tsan_unaligned_read##bytes(void*) {}                                  \
    void __tsan_unaligned_write##bytes(void* address) { before_store(address); } \
    void __tsan_unaligned_read_write##bytes(void* address) { before_store(address); }
SIM_ACCESS(1)
SIM_ACCESS(2)
SIM_ACCESS(4)
SIM_ACCESS(8)
SIM_ACCESS(16)

// Atomic operations stay what they are.
#define SIM_ATOMIC_ACCESS(bits, T)                                                                          \
    T __tsan_atomic##bits##_load(const volatile T* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
    void __tsan_atomic##bits##_store(volatile T* p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
    T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) {                                             \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                 \
    }                                                                                                       \
    T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int) {                                            \
        return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                       \
    T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int) {                                            \
        return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                       \
    T __tsan_atomic##bits##_fetch_and(volatile T* p, T v, int) {                                            \
        return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                       \
    T __tsan_atomic##bits##_fetch_or(volatile T* p, T v, int) {                                             \
        return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                                   \
    }                                                                                                       \
    T __tsan_atomic##bits##_fetch_xor(volatile T* p, T v, int) {                                            \
        return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                       \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T v, int, int) {          \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }                                                                                                       \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T v, int, int) {            \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }                                                                                                       \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T v, int, int) {                \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
        return expected;                                                                                    \
    }
SIM_ATOMIC_ACCESS(8, std::uint8_t)
SIM_ATOMIC_ACCESS(16, std::uint16_t)
SIM_ATOMIC_ACCESS(32, std::uint32_t)
SIM_ATOMIC_ACCESS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
    return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
    return __builtin_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) { return __builtin_memset(to, value, bytes); }

}  // extern "C"
