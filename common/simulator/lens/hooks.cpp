/// @file
/// @brief The functions that code compiled with `-fsanitize=thread` calls at each access.
#include <cstddef>
#include <cstdint>

#include "lens.hpp"

using lens::Kind;
using lens::running;

namespace {

bool in_kernel() { return running != nullptr && running->runs_kernel(); }

void access(const volatile void* address, std::size_t bytes, Kind kind, const void* at) {
    if (in_kernel()) running->access(const_cast<const void*>(address), bytes, kind, at, kind == Kind::atomic);
}

/// Lives as long as one atomic operation.
class Atomic {
 public:
    explicit Atomic(const volatile void* address) {
        if (in_kernel()) log_ = running->begin_atomic(const_cast<const void*>(address));
    }
    Atomic(const volatile void* address, std::size_t bytes, const void* at) : Atomic(address) {
        access(address, bytes, Kind::atomic, at);
    }
    ~Atomic() {
        if (log_ != nullptr) running->end_atomic(log_, stores_);
    }
    /// It was a load, or a comparison that failed: others learn nothing by it.
    void stores_nothing() { stores_ = false; }
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

 private:
    lens::Messages::Log* log_ = nullptr;
    bool stores_ = true;
};

/// In global memory, CUDA treats a volatile load or store as a relaxed atomic one. In shared memory, the lens
/// does not: lanes that rely on `volatile` instead of `__syncwarp` would pass.
void volatile_access(const void* address, std::size_t bytes, Kind kind, const void* at) {
    if (!in_kernel() || !running->is_global(address)) return access(address, bytes, kind, at);
    Atomic here(address);
    if (kind == Kind::load) here.stores_nothing();
    running->access(address, bytes, kind, at, true);
}

/// Atomic functions without an instruction are loops: a load, and comparisons until one succeeds. Together
/// they are one atomic operation.
template <typename T>
bool compare_exchange(volatile T* p, T* expected, T value, const void* at) {
    const bool is_update = in_kernel() && running->is_update(const_cast<const T*>(p));
    Atomic here(p);
    const bool done =
        __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (!done) here.stores_nothing();
    if (done || !is_update) access(p, sizeof(T), Kind::atomic, at);
    if (done && is_update) running->begin_update(nullptr);
    return done;
}

}  // namespace

#define LENS_AT __builtin_return_address(0)

// The names and signatures are ThreadSanitizer's, as GCC and clang call them.
extern "C" {

void __tsan_init() { lens::the_lens(); }
void __tsan_func_entry(void* at) {
    if (in_kernel()) running->begin_call(at);
}
void __tsan_func_exit() {
    if (in_kernel()) running->end_call();
}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(void* address, std::size_t bytes) { access(address, bytes, Kind::load, LENS_AT); }
void __tsan_write_range(void* address, std::size_t bytes) { access(address, bytes, Kind::store, LENS_AT); }

#define LENS_ACCESS(prefix, bytes, access)                                                              \
    void __tsan_##prefix##read##bytes(void* address) { access(address, bytes, Kind::load, LENS_AT); }   \
    void __tsan_##prefix##write##bytes(void* address) { access(address, bytes, Kind::store, LENS_AT); } \
    void __tsan_##prefix##read_write##bytes(void* address) {                                            \
        access(address, bytes, Kind::load, LENS_AT);                                                    \
        access(address, bytes, Kind::store, LENS_AT);                                                   \
    }
#define LENS_ACCESSES(bytes)                       \
    LENS_ACCESS(, bytes, access)                   \
    LENS_ACCESS(unaligned_, bytes, access)         \
    LENS_ACCESS(volatile_, bytes, volatile_access) \
    LENS_ACCESS(unaligned_volatile_, bytes, volatile_access)
LENS_ACCESSES(1)
LENS_ACCESSES(2)
LENS_ACCESSES(4)
LENS_ACCESSES(8)
LENS_ACCESSES(16)

#define LENS_FETCH(bits, T, name)                                       \
    T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int) { \
        const Atomic here(p, sizeof(T), LENS_AT);                       \
        return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);       \
    }
#define LENS_ATOMIC(bits, T)                                                                           \
    T __tsan_atomic##bits##_load(const volatile T* p, int) {                                           \
        if (in_kernel()) running->begin_update(const_cast<const T*>(p));                               \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
    }                                                                                                  \
    void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                                    \
        const Atomic here(p, sizeof(T), LENS_AT);                                                      \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                  \
    T __tsan_atomic##bits##_exchange(volatile T* p, T value, int) {                                    \
        const Atomic here(p, sizeof(T), LENS_AT);                                                      \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                                  \
    LENS_FETCH(bits, T, add)                                                                           \
    LENS_FETCH(bits, T, sub)                                                                           \
    LENS_FETCH(bits, T, and)                                                                           \
    LENS_FETCH(bits, T, or)                                                                            \
    LENS_FETCH(bits, T, xor)                                                                           \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T value, int, int) { \
        return compare_exchange(p, expected, value, LENS_AT);                                          \
    }                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T value, int, int) {   \
        return compare_exchange(p, expected, value, LENS_AT);                                          \
    }                                                                                                  \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int, int) {       \
        compare_exchange(p, &expected, value, LENS_AT);                                                \
        return expected;                                                                               \
    }
LENS_ATOMIC(8, std::uint8_t)
LENS_ATOMIC(16, std::uint16_t)
LENS_ATOMIC(32, std::uint32_t)
LENS_ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

#define LENS_COPY(name)                                                  \
    void* __tsan_##name(void* to, const void* from, std::size_t bytes) { \
        access(from, bytes, Kind::load, LENS_AT);                        \
        access(to, bytes, Kind::store, LENS_AT);                         \
        return __builtin_##name(to, from, bytes);                        \
    }
LENS_COPY(memcpy)
LENS_COPY(memmove)
void* __tsan_memset(void* to, int value, std::size_t bytes) {
    access(to, bytes, Kind::store, LENS_AT);
    return __builtin_memset(to, value, bytes);
}

}  // extern "C"
