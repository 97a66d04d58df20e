/// @file
/// @brief Interrupts threads between a load and a store, so that races give wrong results.
///
/// Without this file, a thread runs until it waits, and no other thread of its block runs between its load
/// and its store. Code that is compiled with `-fsanitize=thread` calls a function at each memory access. This
/// file defines these functions in place of ThreadSanitizer's library. Before some stores, and before some
/// accesses to what the thread has read before, the functions let other threads of the block run. Which
/// accesses these are depends only on the seed and the block. Before at most one such access of each block,
/// to device memory, the functions also wait, so that blocks on other cores run.
///
/// The functions also detect each load and store in a redzone, just outside an allocation.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <utility>

#include "../faults/faults.hpp"
#include "../grid/block.hpp"
#include "../memory/device_memory.hpp"

namespace {

constexpr std::size_t kMostBytesAtOnce = 16;  ///< more are a copy, or memset

/// What decides when the threads of this OS thread's block are interrupted.
thread_local struct {
    std::uint64_t serial = 0;  ///< the block's
    std::uint64_t random = 0;
    bool has_stalled = false;
} pauses;

/// Whether other threads can access a place.
bool is_shared(sim::Block& block, const void* place) {
    return block.shared().has(place) || sim::place(place, 1) == sim::Place::inside;
}

/// In one of eight calls, lets the other threads of the block run first. At most once per block, if
/// `store_to` is in device memory, also sleeps for a moment, so that other blocks, which can see this memory,
/// run.
void maybe_pause(sim::Block& block, const void* store_to) {
    if (!block.threads().in_kernel) return;
    if (pauses.serial != sim::block_serial)
        pauses = {sim::block_serial, block.grid().seed + block.number(), false};
    pauses.random = pauses.random * 6364136223846793005u + 1442695040888963407u;
    if (pauses.random >> 61 != 0) return;
    const sim::Block::InSimulator here(block);
    if (!pauses.has_stalled && pauses.random >> 58 == 0 && !block.shared().has(store_to) &&
        sim::place(store_to, 1) == sim::Place::inside && sim::platform::most_threads() > 1) {
        pauses.has_stalled = true;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    block.yield();
}

/// The last places that threads of the block have read or updated.
thread_local struct {
    std::uint64_t serial = 0;                                     ///< the block's
    std::array<std::pair<const void*, const void*>, 4> places{};  ///< each with its thread
    std::size_t next = 0;
} reads;

/// Whether a place is in a built-in variable, such as threadIdx, which no thread changes.
bool is_built_in(const void* place) {
    const auto is_in = [place](const auto& variable) {
        const std::ptrdiff_t offset =
            static_cast<const char*>(place) - reinterpret_cast<const char*>(&variable);
        return static_cast<std::size_t>(offset) < sizeof(variable);
    };
    return is_in(threadIdx) || is_in(blockIdx) || is_in(blockDim) || is_in(gridDim);
}

/// If the thread has recently read or updated a place, sometimes lets other threads change the place first.
void maybe_pause_again(sim::Block& block, const void* place) {
    if (is_built_in(place)) return;
    if (std::exchange(reads.serial, sim::block_serial) != sim::block_serial) {
        reads.places = {};
        reads.next = 0;
    }
    const std::pair<const void*, const void*> here{place, block.threads().current};
    if (std::ranges::find(reads.places, here) != reads.places.end()) return maybe_pause(block, place);
    reads.places[reads.next++ % reads.places.size()] = here;
}

struct Instrument {
    /// Unless the environment sets these variables, threads and blocks run in an order other than 0, 1, 2, …,
    /// and several blocks run at the same time, even on a machine with one core.
    static void starts() {
        setenv("CUDA_SIM_SEED", "7", 0);
        setenv("CUDA_SIM_WORKERS", "4", 0);
    }
    static void enters(void*) {}
    static void leaves() {}

    static void loads(const void* address, std::size_t bytes, const void*) {
        if (sim::running_block == nullptr) return;
        sim::require_no_redzone(*sim::running_block, address, bytes);
        maybe_pause_again(*sim::running_block, address);
    }
    /// Interrupts a thread before a store, when the values from which it has computed the stored one are
    /// already in registers.
    static void stores(const void* address, std::size_t bytes, const void*) {
        if (sim::running_block != nullptr) {
            sim::require_no_redzone(*sim::running_block, address, bytes);
            // No pause where a thread clears its own array: each level of a deep recursion may do so.
            if (bytes > kMostBytesAtOnce && !is_shared(*sim::running_block, address)) return;
            return maybe_pause(*sim::running_block, address);
        }
        // Host threads other than the first, as in chapter 01, also let others run at times.
        static const std::thread::id first = std::this_thread::get_id();
        thread_local unsigned int stored = 0;
        if (std::this_thread::get_id() != first && ++stored % 64 == 0) std::this_thread::yield();
    }
    static void volatile_loads(const void* address, std::size_t bytes, const void*) {
        loads(address, bytes, nullptr);
    }
    static void volatile_stores(const void* address, std::size_t bytes, const void*) {
        stores(address, bytes, nullptr);
    }

    /// Other threads may run before an atomic operation, but not during one.
    struct Atomic {
        Atomic(const volatile void* address, std::size_t, const void*) {
            if (sim::running_block != nullptr)
                maybe_pause_again(*sim::running_block, const_cast<const void*>(address));
        }
    };
    static void begins_update(const volatile void*, const void*) {}
    template <typename T>
    static bool compare_exchange(volatile T* p, T* expected, T value, const void*) {
        const Atomic here(p, sizeof(T), nullptr);
        return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
};

}  // namespace

#include "accesses.hpp"
