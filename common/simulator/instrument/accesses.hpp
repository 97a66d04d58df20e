/// @file
/// @brief The functions that code compiled with `-fsanitize=thread` calls at each access, in place of
/// ThreadSanitizer's library. Their names and signatures are those that GCC and clang call.
///
/// An instrument includes this file once, after it has defined a class `Instrument` with the static functions
/// that are called here, and a class `Instrument::Atomic`, of which an object exists during each atomic
/// operation.
#include <cstddef>
#include <cstdint>

#include "../platform/access_site.hpp"

// NOLINTBEGIN(misc-definitions-in-headers): it is included once.
namespace {

void load_range(const void* address, std::size_t bytes, const void* at) {
    if (bytes == 0) return;
    sim::platform::require_access(address, bytes, false, at);
    Instrument::loads(address, bytes, at);
}
void store_range(const void* address, std::size_t bytes, const void* at) {
    if (bytes == 0) return;
    sim::platform::require_access(address, bytes, true, at);
    Instrument::stores(address, bytes, at);
}

}  // namespace

extern "C" {

/// Runs before main.
void __tsan_init() { Instrument::starts(); }
void __tsan_func_entry(void* at) { Instrument::enters(at); }
void __tsan_func_exit() { Instrument::leaves(); }
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

void __tsan_read_range(void* address, std::size_t bytes SIM_AND_SITE) {
    load_range(address, bytes, SIM_SITE);
}
void __tsan_write_range(void* address, std::size_t bytes SIM_AND_SITE) {
    store_range(address, bytes, SIM_SITE);
}

#define SIM_ACCESS(prefix, bytes, volatile_)                              \
    void __tsan_##prefix##read##bytes(void* address SIM_AND_SITE) {       \
        sim::platform::require_access(address, bytes, false, SIM_SITE);   \
        Instrument::volatile_##loads(address, bytes, SIM_SITE);           \
    }                                                                     \
    void __tsan_##prefix##write##bytes(void* address SIM_AND_SITE) {      \
        sim::platform::require_access(address, bytes, true, SIM_SITE);    \
        Instrument::volatile_##stores(address, bytes, SIM_SITE);          \
    }                                                                     \
    void __tsan_##prefix##read_write##bytes(void* address SIM_AND_SITE) { \
        sim::platform::require_access(address, bytes, true, SIM_SITE);    \
        Instrument::volatile_##loads(address, bytes, SIM_SITE);           \
        Instrument::volatile_##stores(address, bytes, SIM_SITE);          \
    }
#define SIM_ACCESSES(bytes)                 \
    SIM_ACCESS(, bytes, )                   \
    SIM_ACCESS(unaligned_, bytes, )         \
    SIM_ACCESS(volatile_, bytes, volatile_) \
    SIM_ACCESS(unaligned_volatile_, bytes, volatile_)
SIM_ACCESSES(1)
SIM_ACCESSES(2)
SIM_ACCESSES(4)
SIM_ACCESSES(8)
SIM_ACCESSES(16)

#define SIM_FETCH(bits, T, name)                                                     \
    T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int SIM_AND_SITE) { \
        sim::platform::require_access(p, sizeof(T), true, SIM_SITE);                 \
        const Instrument::Atomic here(p, sizeof(T), SIM_SITE);                       \
        return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);                    \
    }
// A compare-and-exchange returns whether it has exchanged the values or, if its name ends with `_val`, the
// value that it has found.
#define SIM_ATOMIC(bits, T)                                                                     \
    T __tsan_atomic##bits##_load(const volatile T* p, int SIM_AND_SITE) {                       \
        sim::platform::require_access(p, sizeof(T), false, SIM_SITE);                           \
        Instrument::begins_update(p, SIM_SITE);                                                 \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                            \
    }                                                                                           \
    void __tsan_atomic##bits##_store(volatile T* p, T value, int SIM_AND_SITE) {                \
        sim::platform::require_access(p, sizeof(T), true, SIM_SITE);                            \
        const Instrument::Atomic here(p, sizeof(T), SIM_SITE);                                  \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                           \
    }                                                                                           \
    T __tsan_atomic##bits##_exchange(volatile T* p, T value, int SIM_AND_SITE) {                \
        sim::platform::require_access(p, sizeof(T), true, SIM_SITE);                            \
        const Instrument::Atomic here(p, sizeof(T), SIM_SITE);                                  \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                 \
    }                                                                                           \
    SIM_FETCH(bits, T, add)                                                                     \
    SIM_FETCH(bits, T, sub)                                                                     \
    SIM_FETCH(bits, T, and)                                                                     \
    SIM_FETCH(bits, T, or)                                                                      \
    SIM_FETCH(bits, T, xor)                                                                     \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T value, int, \
                                                      int SIM_AND_SITE) {                       \
        sim::platform::require_access(p, sizeof(T), true, SIM_SITE);                            \
        return Instrument::compare_exchange(p, expected, value, SIM_SITE);                      \
    }                                                                                           \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T value, int,   \
                                                    int SIM_AND_SITE) {                         \
        sim::platform::require_access(p, sizeof(T), true, SIM_SITE);                            \
        return Instrument::compare_exchange(p, expected, value, SIM_SITE);                      \
    }                                                                                           \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int,       \
                                                 int SIM_AND_SITE) {                            \
        sim::platform::require_access(p, sizeof(T), true, SIM_SITE);                            \
        Instrument::compare_exchange(p, &expected, value, SIM_SITE);                            \
        return expected;                                                                        \
    }
SIM_ATOMIC(8, std::uint8_t)
SIM_ATOMIC(16, std::uint16_t)
SIM_ATOMIC(32, std::uint32_t)
SIM_ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes SIM_AND_SITE) {
    load_range(from, bytes, SIM_SITE);
    store_range(to, bytes, SIM_SITE);
    return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes SIM_AND_SITE) {
    load_range(from, bytes, SIM_SITE);
    store_range(to, bytes, SIM_SITE);
    return __builtin_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes SIM_AND_SITE) {
    store_range(to, bytes, SIM_SITE);
    return __builtin_memset(to, value, bytes);
}

}  // extern "C"
// NOLINTEND(misc-definitions-in-headers)
