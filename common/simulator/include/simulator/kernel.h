/// @file
/// @brief What a kernel sees: its indices, barriers, warp functions, shared memory, clock.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vector_types.h"

// The built-in variables. Each OS thread runs one simulated thread at a time, and these are its.
inline thread_local uint3 threadIdx{};
inline thread_local uint3 blockIdx{};
inline thread_local dim3 blockDim{};
inline thread_local dim3 gridDim{};
constexpr int warpSize = 32;

namespace sim {

/// A line of source code, for messages.
struct Site {
    const char* file;
    int line;
};

/// What a barrier tells the threads that it releases.
struct BarrierResult {
    unsigned int threads;  ///< how many threads the barrier held
    unsigned int votes;    ///< how many of them came with a predicate that is not zero
};

/// Waits until every thread of the block that has not returned waits here too.
BarrierResult barrier(bool predicate, Site site);

/// What the lanes of a warp do together.
enum class WarpOperation { sync, shuffle, ballot, add, minimum, maximum, bit_and, bit_or, bit_xor, match };

/// @brief Waits until every live lane of `mask` calls the same operation with the same mask.
/// @param[in] value  This lane's contribution.
/// @param[in] source For a shuffle: the lane whose value this lane takes.
/// @return The operation's result for this lane.
std::uint64_t warp_exchange(WarpOperation operation, unsigned int mask, std::uint64_t value,
                            unsigned int source, Site site);

/// This thread's place in its warp, 0 to 31.
unsigned int lane();

/// The launch's dynamic shared memory, the same bytes for every thread of the block.
void* dynamic_shared_memory();
template <typename T>
T* dynamic_shared() {
    return static_cast<T*>(dynamic_shared_memory());
}

/// Counts the blocks that this OS thread has run: another number, another block.
inline thread_local std::uint64_t block_serial = 0;

/// Fills a static shared variable with the poison value, and notes in `serial` for which block.
void begin_shared(volatile void* variable, std::size_t bytes, std::uint64_t& serial);

/// Called by every thread that passes a `__shared__` declaration; the block's first one begins it.
template <typename T>
void shared_variable(T& variable, std::uint64_t& serial) {
    if (serial != block_serial) begin_shared(&variable, sizeof(variable), serial);
}

/// Ends the kernel: the thread uses an address that is no multiple of its type's size.
[[noreturn]] void misaligned(const void* address);

/// Device time in nanoseconds: the simulated device's clock runs at 1 GHz.
long long device_clock();

template <typename T>
std::uint64_t to_bits(T value) {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "up to 8 plain bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    return bits;
}

template <typename T>
T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

/// A lane's segment for the `width` of a shuffle (a power of two, at most 32).
struct Segment {
    unsigned int first, last;
    Segment(unsigned int lane_, int width)
        : first(lane_ & ~(static_cast<unsigned int>(width) - 1)), last(first + width - 1) {}
};

template <typename T>
T shuffle(unsigned int mask, T value, unsigned int source, Site site) {
    return from_bits<T>(warp_exchange(WarpOperation::shuffle, mask, to_bits(value), source, site));
}

/// Signed values keep their order as unsigned ones when the sign bit is flipped.
template <typename T>
T reduce(WarpOperation operation, unsigned int mask, T value, Site site) {
    const std::uint64_t flip = std::is_signed<T>::value ? 0x80000000u : 0u;
    const bool ordered = operation == WarpOperation::minimum || operation == WarpOperation::maximum;
    const std::uint64_t bits = static_cast<std::uint32_t>(value) ^ (ordered ? flip : 0u);
    const std::uint64_t result = warp_exchange(operation, mask, bits, 0, site);
    return static_cast<T>(static_cast<std::uint32_t>(result ^ (ordered ? flip : 0u)));
}

}  // namespace sim

// Every function that waits takes the caller's line from the compiler, for the message when it fails.
#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_SITE   \
    sim::Site {    \
        file, line \
    }

inline void __syncthreads(SIM_HERE) {
    sim::barrier(false, SIM_SITE);
}
inline int __syncthreads_count(int predicate, SIM_HERE) {
    return static_cast<int>(sim::barrier(predicate != 0, SIM_SITE).votes);
}
inline int __syncthreads_and(int predicate, SIM_HERE) {
    const sim::BarrierResult result = sim::barrier(predicate != 0, SIM_SITE);
    return result.votes == result.threads;
}
inline int __syncthreads_or(int predicate, SIM_HERE) {
    return sim::barrier(predicate != 0, SIM_SITE).votes != 0;
}

inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

inline void __syncwarp(unsigned int mask = 0xffffffffu, SIM_HERE) {
    sim::warp_exchange(sim::WarpOperation::sync, mask, 0, 0, SIM_SITE);
}

template <typename T>
T __shfl_sync(unsigned int mask, T value, int source, int width = warpSize, SIM_HERE) {
    const sim::Segment segment(sim::lane(), width);
    return sim::shuffle(mask, value, segment.first + (source & (width - 1)), SIM_SITE);
}
template <typename T>
T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = warpSize, SIM_HERE) {
    const unsigned int lane = sim::lane();
    const bool inside = lane - sim::Segment(lane, width).first >= delta;
    return sim::shuffle(mask, value, inside ? lane - delta : lane, SIM_SITE);
}
template <typename T>
T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = warpSize, SIM_HERE) {
    const unsigned int lane = sim::lane();
    const bool inside = sim::Segment(lane, width).last - lane >= delta;
    return sim::shuffle(mask, value, inside ? lane + delta : lane, SIM_SITE);
}
template <typename T>
T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = warpSize, SIM_HERE) {
    const unsigned int lane = sim::lane();
    const unsigned int source = lane ^ static_cast<unsigned int>(lane_mask);
    return sim::shuffle(mask, value, source <= sim::Segment(lane, width).last ? source : lane, SIM_SITE);
}

inline unsigned int __ballot_sync(unsigned int mask, int predicate, SIM_HERE) {
    return static_cast<unsigned int>(
        sim::warp_exchange(sim::WarpOperation::ballot, mask, predicate != 0, 0, SIM_SITE));
}
inline int __any_sync(unsigned int mask, int predicate, SIM_HERE) {
    return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned int mask, int predicate, SIM_HERE) {
    return __ballot_sync(mask, !predicate, file, line) == 0;
}
template <typename T>
unsigned int __match_any_sync(unsigned int mask, T value, SIM_HERE) {
    return static_cast<unsigned int>(
        sim::warp_exchange(sim::WarpOperation::match, mask, sim::to_bits(value), 0, SIM_SITE));
}

/// CUDA promises only that the caller is in this mask. Here it is alone, so code that takes the
/// mask for "the threads that took this branch" fails, as it may on a GPU.
inline unsigned int __activemask() {
    return 1u << sim::lane();
}

#define SIM_REDUCE(T)                                                           \
    inline T __reduce_add_sync(unsigned int mask, T value, SIM_HERE) {          \
        return sim::reduce(sim::WarpOperation::add, mask, value, SIM_SITE);     \
    }                                                                           \
    inline T __reduce_min_sync(unsigned int mask, T value, SIM_HERE) {          \
        return sim::reduce(sim::WarpOperation::minimum, mask, value, SIM_SITE); \
    }                                                                           \
    inline T __reduce_max_sync(unsigned int mask, T value, SIM_HERE) {          \
        return sim::reduce(sim::WarpOperation::maximum, mask, value, SIM_SITE); \
    }
SIM_REDUCE(int)
SIM_REDUCE(unsigned int)
#undef SIM_REDUCE
inline unsigned int __reduce_and_sync(unsigned int mask, unsigned int value, SIM_HERE) {
    return sim::reduce(sim::WarpOperation::bit_and, mask, value, SIM_SITE);
}
inline unsigned int __reduce_or_sync(unsigned int mask, unsigned int value, SIM_HERE) {
    return sim::reduce(sim::WarpOperation::bit_or, mask, value, SIM_SITE);
}
inline unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value, SIM_HERE) {
    return sim::reduce(sim::WarpOperation::bit_xor, mask, value, SIM_SITE);
}

#undef SIM_HERE
#undef SIM_SITE

inline long long clock64() {
    return sim::device_clock();
}

// Loads with a hint for the caches, which a value does not depend on. They are the loads of wide
// vectors as a rule, so they mind alignment as a GPU does: an x86 CPU lets most of it pass.
template <typename T>
T __ldg(const T* address) {
    if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) sim::misaligned(address);
    return *address;
}
template <typename T>
T __ldcg(const T* address) {
    return __ldg(address);
}
template <typename T>
T __ldcs(const T* address) {
    return __ldg(address);
}

inline int __popc(unsigned int x) {
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
inline int __clz(int x) {
    return x ? __builtin_clz(static_cast<unsigned int>(x)) : 32;
}
inline int __ffs(int x) {
    return __builtin_ffs(x);
}
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>(static_cast<std::uint64_t>(a) * b >> 32);
}
