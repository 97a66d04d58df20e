/// @file
/// @brief Everything that a kernel can use: its indices, shared memory, barriers, warp functions, clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>  // clock(), which kernels also call
#include <type_traits>

#include "vector_types.h"

#ifdef __clang__
#define SIM_IS_INSTRUMENTED __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define SIM_IS_INSTRUMENTED 1
#endif
#if SIM_IS_INSTRUMENTED
// g++, and clang until version 15, let instrumented code call the C library's functions. After these lines,
// it calls ThreadSanitizer's instead.
asm("memcpy = __tsan_memcpy\nmemmove = __tsan_memmove\nmemset = __tsan_memset");
#endif

/// Inlines the functions that a launch calls on the host, and those on the stack between a kernel and its
/// barrier. Separate functions would make each file slower to compile and, in a browser, each wait slower.
#define SIM_INLINE __attribute__((always_inline))

/// @{

/// The built-in variables of the simulated thread that this OS thread is running.
inline thread_local uint3 threadIdx{};
inline thread_local uint3 blockIdx{};
inline thread_local dim3 blockDim{};
inline thread_local dim3 gridDim{};
constexpr int warpSize = 32;
/// @}

namespace sim {

/// A line of source code, for messages.
struct Site {
    const char* file;
    int line;
};
/// Whether two sites are the same line. Compares the file names as text too, because each object file may
/// have its own copy of a name.
inline bool operator==(const Site& a, const Site& b) {
    return a.line == b.line &&
           (a.file == b.file || (a.file != nullptr && b.file != nullptr && std::strcmp(a.file, b.file) == 0));
}

// --- Shared memory ------------------------------------------------------------------------------

/// The serial number of the block that this OS thread runs: different for each of its blocks, and never 0.
inline thread_local std::uint64_t block_serial = 1;

/// A static `__shared__` variable, as it is declared.
struct SharedVariable {
    const char* name;
    std::size_t bytes, alignment, element_bytes;
    Site site;
};

/// The memory of a `__shared__` variable.
struct SharedPlace {
    std::uint64_t block;  ///< the serial number of the block that the memory belongs to
    void* address;
};

/// Finds the memory of a variable for the running block, fills it with poison (memory/redzones.hpp), and
/// stores its address in `place`.
/// @param[in] declaration An address that no other declaration has.
void begin_shared(SharedPlace& place, const void* declaration, const SharedVariable& variable);

/// @brief Called by every thread that reaches a `__shared__` declaration. The first thread of the block that
/// reaches it prepares the variable.
/// @tparam T           The variable's type.
/// @tparam Declaration A different type for each declaration: that of a lambda expression.
template <typename T, typename Declaration>
T& shared_variable(Declaration, const char* name, std::size_t alignment = 1,
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    static char declaration;
    static thread_local SharedPlace place{};
    if (place.block != block_serial)
        begin_shared(place, &declaration,
                     {name,
                      sizeof(T),
                      alignment > alignof(T) ? alignment : alignof(T),
                      sizeof(std::remove_all_extents_t<T>),
                      {file, line}});
    return *static_cast<T*>(place.address);
}

/// The launch's dynamic shared memory: an array of whatever type the kernel declares.
struct DynamicShared {
    char* memory;
    /// Converts to the type that the kernel declares.
    template <typename T>
    operator T*() const {
        return reinterpret_cast<T*>(memory);
    }
};
inline thread_local DynamicShared dynamic_shared{};  ///< the memory of the block that this OS thread runs

/// Dynamic shared memory that is declared outside a function: the declaration is translated to a constant of
/// this type.
template <typename T>
struct DynamicSharedArray {
    /// A pointer to the first element.
    operator T*() const { return dynamic_shared; }
    /// The first element, as a pointer to another type.
    template <typename U>
    explicit operator U*() const {
        return dynamic_shared;
    }
};

// --- Waiting for others -------------------------------------------------------------------------

/// Waits until every live thread of the block (one that has not returned) waits at `site`.
/// @return How many of these threads have passed a true predicate.
int barrier(bool predicate, Site site);

/// The values that the lanes of a warp have passed to `warp_exchange`.
struct WarpValues {
    unsigned int lanes = 0;         ///< bit i: lane i has arrived
    std::uint64_t value[warpSize];  ///< the poison value for a lane that has not arrived
};

/// @brief Waits until every live lane of `mask` calls the same function with the same mask.
/// @param[in] function The name of the warp function, also for messages.
/// @param[in] value    The value that this lane passes to the others.
/// @return The values that all these lanes have passed.
WarpValues warp_exchange(const char* function, unsigned int mask, std::uint64_t value, Site site);

/// Like `warp_exchange`, but returns only the value of lane `source`.
std::uint64_t warp_shuffle(const char* function, unsigned int mask, std::uint64_t value, unsigned int source,
                           Site site);

/// The running thread's lane, 0 to 31.
inline unsigned int lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize;
}

/// Converts a number of up to 8 bytes to the 64 bits in which `warp_exchange` passes it.
template <typename T>
std::uint64_t to_bits(T value) {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8,
                  "CUDA accepts only numbers of up to 8 bytes");
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(value));
    return bits;
}

/// The inverse of `to_bits`.
template <typename T>
T from_bits(std::uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(value));
    return value;
}

/// Passes `value` to the other lanes. @return The value that lane `source` modulo 32 has passed.
template <typename T>
T shuffle(const char* function, unsigned int mask, T value, unsigned int source, Site site) {
    return from_bits<T>(warp_shuffle(function, mask, to_bits(value), source % warpSize, site));
}

/// @return The lanes that have passed a value other than 0, as a mask.
inline unsigned int ballot(const WarpValues& all) {
    unsigned int result = 0;
    for (unsigned int i = 0; i < warpSize; ++i)
        if ((all.lanes >> i & 1) != 0 && all.value[i] != 0) result |= 1u << i;
    return result;
}

/// Ends the kernel with a fault: the running thread uses an address that is misaligned for its type.
void misaligned(const void* address);

/// A memory fence: other threads see this thread's earlier writes before its later ones.
/// @param of_block Whether the fence is only for threads of the same block. This makes a difference only to
/// an instrument, such as the lens.
void fence(bool of_block = false);
/// Tells the instrument whether the next atomic operations have block scope, like `atomicAdd_block`.
void atomic_scope(bool of_block);

/// Device time in nanoseconds: the simulated device's clock runs at 1 GHz.
long long device_clock();

}  // namespace sim

// The parameters through which a function that waits gets its caller's line, for messages about faults.
#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

/// @{

/// Wait until all threads of the block that have not returned wait on the same line. The last three also
/// return for how many of these threads `predicate` is not zero, or whether it is not zero for all or any of
/// them.
SIM_INLINE inline void __syncthreads(SIM_HERE) { sim::barrier(false, {file, line}); }
inline int __syncthreads_count(int predicate, SIM_HERE) { return sim::barrier(predicate != 0, {file, line}); }
inline int __syncthreads_and(int predicate, SIM_HERE) {
    return sim::barrier(predicate == 0, {file, line}) == 0;
}
inline int __syncthreads_or(int predicate, SIM_HERE) {
    return sim::barrier(predicate != 0, {file, line}) != 0;
}

/// @}

/// Other threads see this thread's earlier writes before its later ones.
inline void __threadfence() { sim::fence(); }

/// Waits until all lanes of `mask` that have not returned wait with the same mask.
inline void __syncwarp(unsigned int mask = 0xffffffffu, SIM_HERE) {
    sim::warp_exchange(__func__, mask, 0, {file, line});
}

/// @{

/// Return the value of another lane of `mask`. The width (a power of two) divides the warp into segments of
/// so many lanes. `__shfl_sync` reads from the lane of the caller's segment whose index is `source` modulo
/// the width. With the other two, a lane that would read from outside its segment gets its own value.
template <typename T>
T __shfl_sync(unsigned int mask, T value, int source, int width = warpSize, SIM_HERE) {
    const unsigned int within = width - 1;
    return sim::shuffle(__func__, mask, value, (sim::lane() & ~within) + (source & within), {file, line});
}
template <typename T>
T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = warpSize, SIM_HERE) {
    const unsigned int lane = sim::lane(), within = width - 1;
    return sim::shuffle(__func__, mask, value, (lane & within) >= delta ? lane - delta : lane, {file, line});
}
template <typename T>
T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = warpSize, SIM_HERE) {
    const unsigned int lane = sim::lane(), within = width - 1;
    const unsigned int source = within - (lane & within) >= delta ? lane + delta : lane;
    return sim::shuffle(__func__, mask, value, source, {file, line});
}
/// @}
/// Returns the value of the lane whose number is the caller's XOR `lane_mask`. Here, a lane may also read
/// from an earlier segment of the warp; one that would read from a later segment gets its own value.
template <typename T>
T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = warpSize, SIM_HERE) {
    const unsigned int lane = sim::lane(), within = width - 1;
    const unsigned int source = lane ^ static_cast<unsigned int>(lane_mask);
    return sim::shuffle(__func__, mask, value, source <= (lane | within) ? source : lane, {file, line});
}

/// @{

/// Return which lanes of `mask` pass a predicate that is not zero, whether any does, and whether all do.
inline unsigned int __ballot_sync(unsigned int mask, int predicate, SIM_HERE) {
    return sim::ballot(sim::warp_exchange(__func__, mask, predicate != 0, {file, line}));
}
inline int __any_sync(unsigned int mask, int predicate, SIM_HERE) {
    return sim::ballot(sim::warp_exchange(__func__, mask, predicate != 0, {file, line})) != 0;
}
inline int __all_sync(unsigned int mask, int predicate, SIM_HERE) {
    const sim::WarpValues all = sim::warp_exchange(__func__, mask, predicate != 0, {file, line});
    return sim::ballot(all) == all.lanes;
}
/// @}
/// The lanes of `mask` whose value equals the caller's.
template <typename T>
unsigned int __match_any_sync(unsigned int mask, T value, SIM_HERE) {
    const sim::WarpValues all = sim::warp_exchange(__func__, mask, sim::to_bits(value), {file, line});
    unsigned int same = 0;
    for (unsigned int i = 0; i < warpSize; ++i)
        if ((all.lanes >> i & 1) != 0 && all.value[i] == sim::to_bits(value)) same |= 1u << i;
    return same;
}
/// All lanes of `mask` if their values are equal, otherwise none. `*all_same` says whether they are.
template <typename T>
unsigned int __match_all_sync(unsigned int mask, T value, int* all_same, SIM_HERE) {
    const unsigned int same = __match_any_sync(mask, value, file, line);
    *all_same = same == mask;
    return *all_same != 0 ? mask : 0;
}
/// The sum of the values of all lanes of `mask`. It wraps around, even for int.
template <typename T>
T __reduce_add_sync(unsigned int mask, T value, SIM_HERE) {
    static_assert(sizeof(T) == 4 && std::is_integral<T>::value, "CUDA accepts only int and unsigned int");
    const sim::WarpValues all = sim::warp_exchange(__func__, mask, sim::to_bits(value), {file, line});
    std::uint32_t sum = 0;
    for (unsigned int i = 0; i < warpSize; ++i)
        if ((all.lanes >> i & 1) != 0) sum += static_cast<std::uint32_t>(all.value[i]);
    return static_cast<T>(sum);
}

/// CUDA promises only that the caller's lane is in this mask. Here, the mask has no other lane, so code that
/// uses it as "the threads that took this branch" fails, as it may on a GPU.
inline unsigned int __activemask() { return 1u << sim::lane(); }

#undef SIM_HERE

/// The SM's clock, in cycles of one nanosecond: the simulated device runs at 1 GHz.
inline long long clock64() { return sim::device_clock(); }

/// @brief A load with a hint that the data will not be used again. Hints have no effect here.
///
/// A misaligned address is a fault, as on a GPU; the CPU itself would allow most misaligned loads.
template <typename T>
T __ldcs(const T* address) {
    if (reinterpret_cast<std::uintptr_t>(address) % alignof(T) != 0) sim::misaligned(address);
    return *address;
}

/// A load that bypasses the L1 cache: the load sees what other blocks have written.
template <typename T>
T __ldcg(const T* address) {
    return __ldcs(address);
}

/// The lower 32 bits of the 64-bit number `high:low` shifted right by `shift` mod 32.
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((std::uint64_t{high} << 32 | low) >> (shift % 32));
}
/// How many bits are set.
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
/// The position of the lowest bit that is set, counted from 1; 0 if none is set.
inline int __ffs(int x) { return __builtin_ffs(x); }
