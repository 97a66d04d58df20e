/// @file
/// @brief Chapter 04: more work per thread, fewer blocks, wide loads, copies without bank conflicts, loads in
///        flight, and a single launch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/cuda/load.cuh"
#include "../common/problem/histogram.hpp"

// A namespace, because the applications of chapter 07 use this file beside kernels with the same names.
namespace coarsened {

/// Threads per block of the first kernels, unless the caller chooses another number.
constexpr unsigned int kBlock = 256;

/// How many bytes each thread of the first kernels counts.
constexpr unsigned int kCoarsening = 16;

/// Clears `size` counters in shared memory. All threads of the block share the work; a barrier must follow.
__device__ inline void clear_counts(unsigned int* counts, unsigned int size) {
    for (unsigned int k = threadIdx.x; k < size; k += blockDim.x) counts[k] = 0;
}

/// Adds the block's counters to the bins, neighbouring bins by neighbouring threads. Call it after a barrier.
__device__ inline void merge_counts(const unsigned int* counts, unsigned long long* d_bins) {
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// @name Kernels
/// Each adds the counts of `n` bytes to 256 bins, which have been cleared unless noted. Bytes and bins are
/// in device memory; the bytes may have any alignment. A block counts in 32-bit counters in shared memory.
/// @{

/// @brief Each thread counts 16 consecutive bytes.
///
/// Good on a CPU: one core reads one cache line at a time. On a GPU, the 32 lanes of a warp load bytes that
/// are 16 apart, and request the same 512 bytes sixteen times. If the L1 cache keeps them, this costs
/// requests but no bandwidth.
/// @par Source
/// B, on coarsening, as is the strided version.
__global__ void contiguous_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * kCoarsening;
    for (std::size_t i = first; i < first + kCoarsening; ++i)
        if (i < n) atomicAdd(&counts[d_data[i]], 1u);

    __syncthreads();
    merge_counts(counts, d_bins);
}

/// Each thread counts 16 bytes that are a block's width apart: a warp loads 32 neighbouring bytes.
__global__ void strided_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    // [04.1] Count kCoarsening bytes, a block's width apart.
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kCoarsening + threadIdx.x;
    for (std::size_t k = 0; k < kCoarsening; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) atomicAdd(&counts[d_data[i]], 1u);
    }
    // [/04.1]

    __syncthreads();
    merge_counts(counts, d_bins);
}

/// Threads per block of the kernels below, at most: two such blocks fill an SM that holds 2,048 threads.
constexpr unsigned int kWideBlock = 1024;

/// For as many threads as the device can hold: they stride over the input, so that a block clears and merges
/// only once, for hundreds of bytes per thread in a large input.
__global__ void __launch_bounds__(kWideBlock)
    few_blocks_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&counts[d_data[i]], 1u);

    __syncthreads();
    merge_counts(counts, d_bins);
}

/// The input as vectors of 16 bytes, and the bytes that are left over at both ends.
struct Vectors {
    const uint4* data;   ///< the first one, at an address that is a multiple of 16
    std::size_t count;   ///< how many there are
    std::size_t before;  ///< bytes before the first: at most 15
    std::size_t after;   ///< index of the first byte after the last: at most 15 follow
};

/// Splits the input: 16-byte loads need addresses that are multiples of 16, but data may begin anywhere.
__device__ inline Vectors vectors_of(const unsigned char* d_data, std::size_t n) {
    // [04.2] Find the first address that is a multiple of 16, the vectors from there on, and the rest.
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(d_data) % sizeof(uint4);
    const std::size_t to_aligned = (sizeof(uint4) - misaligned) % sizeof(uint4);
    const std::size_t before = to_aligned < n ? to_aligned : n;
    const std::size_t count = (n - before) / sizeof(uint4);
    return {reinterpret_cast<const uint4*>(d_data + before), count, before, before + count * sizeof(uint4)};
    // [/04.2] return {};
}

/// @brief Counts the 16 bytes of a vector.
/// @tparam kCopies The distance between the counters of neighbouring bins.
/// @param[in,out] own Counters in shared memory: the counter of a byte is `own[byte * kCopies]`.
template <unsigned int kCopies = 1>
__device__ inline void count_16(unsigned int* own, const uint4& v) {
    // [04.2] Count the four bytes of each of the four words.
    const unsigned int words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (unsigned int word : words) {
#pragma unroll
        for (unsigned int shift = 0; shift < 32; shift += 8)
            atomicAdd(&own[(word >> shift & 0xff) * kCopies], 1u);
    }
    // [/04.2]
}

/// Counts the bytes before and after the vectors, one per thread of the grid.
template <unsigned int kCopies = 1>
__device__ inline void count_ends(unsigned int* own, const unsigned char* d_data, std::size_t n,
                                  const Vectors& vectors) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = thread; i < vectors.before; i += threads) atomicAdd(&own[d_data[i] * kCopies], 1u);
    for (std::size_t i = vectors.after + thread; i < n; i += threads)
        atomicAdd(&own[d_data[i] * kCopies], 1u);
}

/// 16 bytes in one load: the same bytes need a sixteenth of the load instructions.
__global__ void __launch_bounds__(kWideBlock)
    wide_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();

    // [04.2] Count the vectors, a grid's stride apart, and the bytes before and after them.
    const Vectors vectors = vectors_of(d_data, n);
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors.count; i += threads)
        count_16(counts, vectors.data[i]);
    count_ends(counts, d_data, n, vectors);
    // [/04.2]

    __syncthreads();
    merge_counts(counts, d_bins);
}

/// @return The sum of bin `b` over all copies. Call it after a barrier.
template <unsigned int kCopies>
__device__ inline unsigned int sum_of_copies(const unsigned int* counts, unsigned int b) {
    unsigned int sum = 0;
    // Each thread begins with a different copy, so that the lanes read from all banks, not from one.
    for (unsigned int k = 0; k < kCopies; ++k) sum += counts[b * kCopies + (k + b) % kCopies];
    return sum;
}

/// @brief Each block counts in several interleaved copies of the histogram: the counter of a lane is word
///        `bin * kCopies + lane % kCopies`.
///
/// Shared memory has 32 banks, and word w is in bank w mod 32. With 32 copies, each lane of a warp has its
/// own bank, whatever the data: no two lanes access the same address or the same bank.
template <unsigned int kCopies>
__global__ void __launch_bounds__(kWideBlock)
    copies_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins * kCopies];
    clear_counts(counts, kBins * kCopies);
    __syncthreads();

    // [04.3] Count in the copy of this thread's lane, and then add up the copies of each bin.
    unsigned int* const own = &counts[threadIdx.x % kCopies];
    const Vectors vectors = vectors_of(d_data, n);
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors.count; i += threads)
        count_16<kCopies>(own, vectors.data[i]);
    count_ends<kCopies>(own, d_data, n, vectors);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum_of_copies<kCopies>(counts, b)));
    // [/04.3]
}

/// For the last two variants: one copy per lane of a warp, and the number of loads in flight per thread.
constexpr unsigned int kMostCopies = 32, kLoads = 4;

/// @return The sum of bin `b` over 32 copies. Each load reads four of them. Call it after a barrier.
__device__ inline unsigned int sum_of_words(const uint4* words, unsigned int b) {
    constexpr unsigned int kWords = kMostCopies / 4;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < kWords; ++k) {
        const uint4 four = words[b * kWords + (k + b) % kWords];
        sum += four.x + four.y + four.z + four.w;
    }
    return sum;
}

/// @brief Counts a thread's share of the vectors, starting at vector `i`.
///
/// All loads of an iteration are issued before the first result is used, so that their latencies overlap.
/// @tparam kIsSmall Whether a thread that has no vectors left returns at once. For large inputs, this
///                  branch slows the loop down.
template <bool kStreaming, bool kIsSmall = false>
__device__ inline void count_in_flight(unsigned int* own, const Vectors& vectors, std::size_t i,
                                       std::size_t threads) {
    for (; i + (kLoads - 1) * threads < vectors.count; i += kLoads * threads) {
        uint4 v[kLoads];
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) v[k] = load<kStreaming>(&vectors.data[i + k * threads]);
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) count_16<kMostCopies>(own, v[k]);
    }
    if (kIsSmall && i >= vectors.count) return;
    uint4 v[kLoads - 1];
#pragma unroll
    for (unsigned int k = 0; k < kLoads - 1; ++k)
        if (i + k * threads < vectors.count) v[k] = load<kStreaming>(&vectors.data[i + k * threads]);
#pragma unroll
    for (unsigned int k = 0; k < kLoads - 1; ++k)
        if (i + k * threads < vectors.count) count_16<kMostCopies>(own, v[k]);
}

/// @brief 32 copies, and four loads in flight per thread. The very first load is in flight while the counters
///        are cleared.
template <bool kStreaming>
__global__ void __launch_bounds__(kWideBlock)
    in_flight_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ uint4 words[kBins * kMostCopies / 4];  // the counters, cleared and added up four at a time
    unsigned int* const counts = reinterpret_cast<unsigned int*>(words);
    unsigned int* const own = &counts[threadIdx.x % kMostCopies];
    const Vectors vectors = vectors_of(d_data, n);
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;

    const uint4 first = thread < vectors.count ? load<kStreaming>(&vectors.data[thread]) : uint4{};
    for (unsigned int k = threadIdx.x; k < kBins * kMostCopies / 4; k += blockDim.x) words[k] = uint4{};
    __syncthreads();

    if (thread < vectors.count) count_16<kMostCopies>(own, first);
    count_in_flight<kStreaming>(own, vectors, thread + threads, threads);
    count_ends<kMostCopies>(own, d_data, n, vectors);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum_of_words(words, b)));
}

/// How many of the 64 bits of an unfinished bin count bytes. The other bits count blocks.
constexpr unsigned int kCountBits = 44;

/// How many blocks the other bits can count.
constexpr unsigned int kMostBlocks = (1u << (64 - kCountBits)) - 1;

/// How many numbers the unfinished bins take up, of which `place_of` uses one in eight.
constexpr std::size_t kUnfinished = 8 * kBins;

/// @return Where the unfinished bin `b` is. Four bins share a sector of 32 bytes, but the sectors are 256
///         bytes apart, so that all blocks' additions are spread over more of the L2 cache.
__device__ inline unsigned int place_of(unsigned int b) { return b / 4 * 32 + b % 4; }

/// @brief `in_flight_kernel` without bins to clear: the last block to add to a bin learns from its atomic
///        addition what all blocks have counted, and stores the sum.
///
/// A block passes on a single number per bin, so there are no two writes whose order matters.
/// @param[in,out] d_unfinished `kUnfinished` numbers, all 0 before the launch and after it. The lower bits of
///                a bin count the bytes so far, and the upper bits the blocks that have added theirs.
template <bool kStreaming, bool kIsSmall>
__global__ void __launch_bounds__(kWideBlock)
    one_launch_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                      unsigned long long* d_unfinished) {
    __shared__ uint4 words[kBins * kMostCopies / 4];  // the counters, cleared and added up four at a time
    unsigned int* const counts = reinterpret_cast<unsigned int*>(words);
    unsigned int* const own = &counts[threadIdx.x % kMostCopies];
    const Vectors vectors = vectors_of(d_data, n);
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;

    const uint4 first = thread < vectors.count ? load<kStreaming>(&vectors.data[thread]) : uint4{};
    for (unsigned int k = threadIdx.x; k < kBins * kMostCopies / 4; k += blockDim.x) words[k] = uint4{};
    __syncthreads();

    if (thread < vectors.count) count_16<kMostCopies>(own, first);
    count_in_flight<kStreaming, kIsSmall>(own, vectors, thread + threads, threads);
    count_ends<kMostCopies>(own, d_data, n, vectors);

    __syncthreads();
    constexpr unsigned long long kOneBlock = 1ull << kCountBits;
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) {
        unsigned long long* const d_own = &d_unfinished[place_of(b)];
        const unsigned long long added = kOneBlock + sum_of_words(words, b);
        const unsigned long long all = atomicAdd(d_own, added) + added;
        if (all >> kCountBits == gridDim.x) {
            d_bins[b] = all % kOneBlock;
            *d_own = 0;
        }
    }
}

/// @}

/// @name Host functions
/// Each is a @ref Variant::Run, which documents the parameters, the results and the exceptions.
/// @{

/// One thread per 16 bytes: n determines the grid.
template <void (*kKernel)(const unsigned char*, std::size_t, unsigned long long*)>
void histogram_by_16(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                     unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    kKernel<<<blocks_for(n, block * kCoarsening), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @brief How many blocks count `n` bytes: two per SM, or fewer for small inputs, so that a block has more to
///        count than to clear and merge.
///
/// A first block per SM pays off once each thread has one load, 16 KiB per block. All SMs get a second block
/// at once, because those with only one would finish early and wait.
/// @param[in] loads The number of loads per thread from which a second block pays off.
inline unsigned int copies_grid(std::size_t n, unsigned int block, unsigned int loads = 16) {
    const unsigned int multiprocessors = multiprocessor_count();
    const unsigned int by_one_load = blocks_for(n, block * sizeof(uint4));
    if (by_one_load / loads >= 2 * multiprocessors) return 2 * multiprocessors;
    return std::min(by_one_load, multiprocessors);
}

/// A grid that suits the device and n; its threads stride over the data.
template <void (*kKernel)(const unsigned char*, std::size_t, unsigned long long*)>
void histogram_striding(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                        unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kWideBlock);
    const unsigned int grid = shape.grid_or(copies_grid(n, block));
    require_32_bit_counters(n, grid, block * 2 * sizeof(uint4));
    kKernel<<<grid, block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Four loads in flight, streaming or not, depending on n.
inline void histogram_in_flight(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                unsigned long long* d_workspace, LaunchShape shape) {
    const auto run = should_stream(n) ? histogram_striding<in_flight_kernel<true>>
                                      : histogram_striding<in_flight_kernel<false>>;
    run(d_data, n, d_bins, d_workspace, shape);
}

/// @brief Four loads in flight, in a single launch.
/// @param d_unfinished The workspace: `kUnfinished` numbers.
/// @throws std::invalid_argument also for more blocks or bytes than an unfinished bin can count.
inline void histogram_one_launch(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                 unsigned long long* d_unfinished, LaunchShape shape) {
    if (n == 0) {
        CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
        return;
    }
    const unsigned int block = shape.block_or(kWideBlock);
    const unsigned int grid = shape.grid_or(copies_grid(n, block, 2));
    require_32_bit_counters(n, grid, block * 2 * sizeof(uint4));
    if (grid > kMostBlocks || n >= 1ull << kCountBits)
        throw std::invalid_argument("one launch counts no more than " + std::to_string(kMostBlocks) +
                                    " blocks and 2^" + std::to_string(kCountBits) + " bytes");
    const bool is_small = n / sizeof(uint4) <= std::size_t{kLoads} * grid * block;
    const auto kernel = is_small           ? one_launch_kernel<true, true>
                        : should_stream(n) ? one_launch_kernel<true, false>
                                           : one_launch_kernel<false, false>;
    kernel<<<grid, block>>>(d_data, n, d_bins, d_unfinished);
    CUDA_CHECK(cudaGetLastError());
}

/// @}

/// The chapter's variants, in the order of the chapter.
inline const std::vector<Variant<Histogram>> kVariants = {
    {.name = "contiguous",
     .idea = "16 consecutive bytes per thread",
     .run = histogram_by_16<contiguous_kernel>,
     .grid_follows_n = true},
    {.name = "strided",
     .idea = "16 bytes per thread, a block's width apart",
     .run = histogram_by_16<strided_kernel>,
     .grid_follows_n = true},
    {.name = "few blocks",
     .idea = "as many threads as the device can hold, each striding",
     .run = histogram_striding<few_blocks_kernel>},
    {.name = "16-byte loads", .idea = "16 bytes in one load", .run = histogram_striding<wide_kernel>},
    {.name = "8 copies",
     .idea = "8 interleaved copies of the histogram",
     .run = histogram_striding<copies_kernel<8>>},
    {.name = "16 copies", .idea = "16 interleaved copies", .run = histogram_striding<copies_kernel<16>>},
    {.name = "32 copies",
     .idea = "32 interleaved copies: a bank for each lane",
     .run = histogram_striding<copies_kernel<kMostCopies>>},
    {.name = "loads in flight",
     .idea = "four loads of each thread in flight, the first one while counters are cleared",
     .run = histogram_in_flight},
    {.name = "one launch",
     .idea = "nothing is cleared: the last block to add to a bin stores it",
     .run = histogram_one_launch,
     .workspace = [](std::size_t, LaunchShape) { return kUnfinished; },
     .zeroed_workspace = true,
     .most_blocks = kMostBlocks},
};

}  // namespace coarsened
