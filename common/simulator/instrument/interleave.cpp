/// @file
/// @brief Interrupts threads between a load and a store, so that races give wrong results.
///
/// Without this file, a thread runs until it waits, and no other thread of its block runs between
/// its load and its store. Code that is compiled with `-fsanitize=thread` calls a function before each
/// plain memory access. This file defines these functions in place of ThreadSanitizer's library. Before
/// some of the stores, they let other threads of the block run. Which stores these are depends only on the
/// seed. Before a few stores to device memory they also wait, so that blocks on other cores run.
///
/// These functions also find each load and store that leaves its allocation by a byte.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "../grid/worker.hpp"
#include "../memory/device_memory.hpp"

/// Before one store in eight, lets the other threads of the block run first. Once per block, before a store
/// to memory that other blocks can see, lets those blocks run.
void sim::Worker::maybe_pause(const void* store_to) {
    if (!threads_.in_kernel) return;
    pauses_.random = pauses_.random * 6364136223846793005u + 1442695040888963407u;
    if (pauses_.random >> 61 != 0) return;
    const InSimulator here(*this);
    if (!pauses_.has_stalled && pauses_.random >> 58 == 0 && !shared_.has(store_to) &&
        place(store_to, 1) == Place::inside) {
        pauses_.has_stalled = true;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    Thread& thread = *threads_.current;
    thread.state = ThreadState::ready;
    leave(thread);
}

namespace {

void before_load(const void* address, std::size_t bytes) {
    if (sim::running_worker != nullptr) sim::running_worker->require_no_fence(address, bytes);
}

/// Before a store, the values loaded to compute it are already in registers.
void before_store(const void* address, std::size_t bytes) {
    if (sim::running_worker != nullptr) {
        sim::running_worker->require_no_fence(address, bytes);
        return sim::running_worker->maybe_pause(address);
    }
    // A program's other threads, as in chapter 01, can also let others run first.
    static const std::thread::id first = std::this_thread::get_id();
    thread_local const bool is_first = std::this_thread::get_id() == first;
    thread_local unsigned int stores = 0;
    if (!is_first && ++stores % 64 == 0) std::this_thread::yield();
}

}  // namespace

// The names and signatures are ThreadSanitizer's, as GCC and clang call them.
extern "C" {

/// Runs before main. Unless the environment says otherwise, threads and blocks run in an order other than
/// 0, 1, 2, …, and on any machine several blocks run at the same time.
void __tsan_init() {
    setenv("CUDA_SIM_SEED", "7", 0);
    setenv("CUDA_SIM_WORKERS", "4", 0);
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(void* address, std::size_t bytes) { before_load(address, bytes); }
void __tsan_write_range(void* address, std::size_t bytes) { before_store(address, bytes); }

#define SIM_ACCESS(bytes)                                                               \
    void __tsan_read##bytes(void* address) { before_load(address, bytes); }             \
    void __tsan_write##bytes(void* address) { before_store(address, bytes); }           \
    void __tsan_read_write##bytes(void* address) { before_store(address, bytes); }      \
    void __tsan_unaligned_read##bytes(void* address) { before_load(address, bytes); }   \
    void __tsan_unaligned_write##bytes(void* address) { before_store(address, bytes); } \
    void __tsan_unaligned_read_write##bytes(void* address) { before_store(address, bytes); }
SIM_ACCESS(1)
SIM_ACCESS(2)
SIM_ACCESS(4)
SIM_ACCESS(8)
SIM_ACCESS(16)

// Atomic operations are not interrupted.
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
