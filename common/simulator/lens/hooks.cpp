/// @file
/// @brief What the lens does at each access of instrumented code.
#include <cstddef>

#include "host.hpp"
#include "lens.hpp"

using lens::Kind;
using lens::running;

namespace {

bool in_kernel() { return running != nullptr && running->runs_kernel(); }

void access(const volatile void* address, std::size_t bytes, Kind kind, const void* at) {
    if (in_kernel()) running->access(const_cast<const void*>(address), bytes, kind, at, kind == Kind::atomic);
    if (running == nullptr && lens::counts_host()) lens::host_access(const_cast<const void*>(address), kind);
}

/// If the block is recorded, lets other threads run until it is this thread's turn. Never called while the
/// log of an atomic operation's address is locked.
void take_turn(const volatile void* address, std::size_t bytes, Kind kind, const void* at) {
    if (in_kernel()) running->take_turn(const_cast<const void*>(address), bytes, kind, at);
}

struct Instrument {
    static void starts() { lens::the_lens(); }
    static void enters(void* at) {
        if (in_kernel()) running->begin_call(at);
    }
    static void leaves() {
        if (in_kernel()) running->end_call();
    }

    static void loads(const void* address, std::size_t bytes, const void* at) {
        take_turn(address, bytes, Kind::load, at);
        access(address, bytes, Kind::load, at);
    }
    static void stores(const void* address, std::size_t bytes, const void* at) {
        take_turn(address, bytes, Kind::store, at);
        access(address, bytes, Kind::store, at);
    }
    static void volatile_loads(const void* address, std::size_t bytes, const void* at) {
        volatile_access(address, bytes, Kind::load, at);
    }
    static void volatile_stores(const void* address, std::size_t bytes, const void* at) {
        volatile_access(address, bytes, Kind::store, at);
    }

    class Atomic {
     public:
        explicit Atomic(const volatile void* address) : address_(const_cast<const void*>(address)) {
            if (in_kernel()) log_ = running->begin_atomic(address_);
        }
        Atomic(const volatile void* address, std::size_t bytes, const void* at)
            : Atomic((take_turn(address, bytes, Kind::atomic, at), address)) {
            access(address, bytes, Kind::atomic, at);
        }
        ~Atomic() {
            // Since the constructor, another block may have executed the grid's first fence, and then stored
            // the value that this operation has read.
            if (log_ == nullptr && in_kernel()) log_ = running->begin_atomic(address_);
            if (log_ != nullptr) running->end_atomic(log_, stores_);
        }
        /// Called for a load or a failed comparison, which makes nothing visible to other threads.
        void stores_nothing() { stores_ = false; }
        Atomic(const Atomic&) = delete;
        Atomic& operator=(const Atomic&) = delete;

     private:
        const void* address_;
        lens::Messages::Log* log_ = nullptr;
        bool stores_ = true;
    };

    /// Atomic functions without an instruction of their own are loops: a load, then compare-and-swaps until
    /// one succeeds. The whole loop counts as one atomic operation.
    template <typename T>
    static void begins_update(const volatile T* p, const void* at) {
        take_turn(p, sizeof(T), Kind::atomic, at);
        if (in_kernel()) running->begin_update(const_cast<const T*>(p));
    }
    template <typename T>
    static bool compare_exchange(volatile T* p, T* expected, T value, const void* at) {
        const bool is_update = in_kernel() && running->is_update(const_cast<const T*>(p));
        if (!is_update) take_turn(p, sizeof(T), Kind::atomic, at);
        Atomic here(p);
        const bool done =
            __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        if (!done) here.stores_nothing();
        if (in_kernel() && !is_update) running->begin_compare(const_cast<const T*>(p));
        if (done || !is_update) access(p, sizeof(T), Kind::atomic, at);
        if (done && is_update) running->begin_update(nullptr);
        return done;
    }

 private:
    /// In global memory, CUDA treats a volatile load or store as a relaxed atomic one. In shared memory, the
    /// lens does not: otherwise, lanes that rely on `volatile` instead of `__syncwarp` would not be reported.
    static void volatile_access(const void* address, std::size_t bytes, Kind kind, const void* at) {
        take_turn(address, bytes, kind, at);
        if (!in_kernel() || !running->is_global(address)) return access(address, bytes, kind, at);
        Atomic here(address);
        if (kind == Kind::load) here.stores_nothing();
        running->access(address, bytes, kind, at, true);
    }
};

}  // namespace

#ifndef __wasm__  // which reports the ends of iterations instead
/// Code compiled with `-fsanitize-coverage=trace-pc` calls this at the beginning of each basic block.
extern "C" void __sanitizer_cov_trace_pc() {
    if (in_kernel()) running->reach(__builtin_return_address(0));
}
#endif

#include "../instrument/accesses.hpp"
