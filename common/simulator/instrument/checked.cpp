/// @file
/// @brief An instrument that only asks the platform before each access whether the access is allowed. It is
/// used in WebAssembly, where no processor refuses accesses, for code that is neither interrupted nor seen by
/// the lens.
#include <cstddef>

namespace {

struct Instrument {
    static void starts() {}
    static void enters(void*) {}
    static void leaves() {}
    static void loads(const void*, std::size_t, const void*) {}
    static void stores(const void*, std::size_t, const void*) {}
    static void volatile_loads(const void*, std::size_t, const void*) {}
    static void volatile_stores(const void*, std::size_t, const void*) {}
    struct Atomic {
        Atomic(const volatile void*, std::size_t, const void*) {}
    };
    static void begins_update(const volatile void*, const void*) {}
    template <typename T>
    static bool compare_exchange(volatile T* p, T* expected, T value, const void*) {
        return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
};

}  // namespace

#include "accesses.hpp"
