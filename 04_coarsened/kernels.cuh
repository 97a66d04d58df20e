/// @file
/// @brief Chapter 04: more work per thread, wide loads, copies that never conflict, and one launch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/problem/histogram.cuh"

/// Threads a block, unless the caller says otherwise.
constexpr unsigned int kBlock = 256;

/// How many elements a thread of the coarsened kernels takes.
constexpr unsigned int kCoarsening = 16;

/// Zeroes `size` counters in shared memory, shared out in strides. For all threads: it ends with a barrier.
__device__ inline void zero_counts(unsigned int* counts, unsigned int size) {
    for (unsigned int k = threadIdx.x; k < size; k += blockDim.x) counts[k] = 0;
    __syncthreads();
}

/// Adds the block's counters to the bins, neighbouring bins by neighbouring threads. Begins with a barrier.
__device__ inline void merge_counts(const unsigned int* counts, unsigned long long* d_bins) {
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// @name Kernels
/// Each adds the counts of `n` bytes to 256 bins, cleared before unless it says otherwise. Both are in
/// device memory, the bytes at any alignment. A block counts in shared memory, in counters of 32 bits.
/// @{

/// @brief Each thread takes 16 consecutive elements.
///
/// Good for a CPU, whose core then works through one cache line. On a GPU the 32 threads of a warp
/// ask at once for 32 bytes that are 16 apart, and do so sixteen times over the same 512 bytes. Where
/// an L1 cache keeps them, that costs requests and no longer time.
/// @par Source
/// B, on coarsening, as is the strided form.
__global__ void contiguous_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    zero_counts(counts, kBins);

    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * kCoarsening;
    for (std::size_t i = first; i < first + kCoarsening; ++i)
        if (i < n) atomicAdd(&counts[d_data[i]], 1u);

    merge_counts(counts, d_bins);
}

/// Each thread takes 16 elements that are a block apart: a warp reads 32 neighbouring bytes.
__global__ void strided_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    zero_counts(counts, kBins);

    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kCoarsening + threadIdx.x;
    for (std::size_t k = 0; k < kCoarsening; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) atomicAdd(&counts[d_data[i]], 1u);
    }

    merge_counts(counts, d_bins);
}

/// Calls `count(byte)` for the 16 bytes of a vector.
template <typename Count>
__device__ inline void for_each_of_16(const uint4& v, const Count& count) {
    const unsigned int words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (unsigned int word : words) {
#pragma unroll
        for (unsigned int shift = 0; shift < 32; shift += 8) count(word >> shift & 0xff);
    }
}

/// @brief Calls `count(byte)` for every byte, 16 at a time: the grid's threads stride over vectors.
///
/// Loads of 16 bytes want addresses that are multiples of 16. Up to 15 bytes before the first such
/// address, and up to 15 after the last whole vector, are taken one a thread.
/// @tparam kLoads How many vectors a thread has asked for before it looks at the first.
/// @param[in] prepare Called once by each thread, before it counts; it clears, and ends with a barrier.
template <int kLoads, typename Prepare, typename Count>
__device__ inline void for_each_byte(const unsigned char* d_data, std::size_t n, const Prepare& prepare,
                                     const Count& count) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(d_data) % sizeof(uint4);
    const std::size_t to_aligned = (sizeof(uint4) - misaligned) % sizeof(uint4);
    const std::size_t head = to_aligned < n ? to_aligned : n;
    const uint4* const vectors = reinterpret_cast<const uint4*>(d_data + head);
    const std::size_t whole = (n - head) / sizeof(uint4);

    std::size_t i = thread;
    const uint4 first = i < whole ? __ldcs(&vectors[i]) : uint4{};
    prepare();
    if (i < whole) for_each_of_16(first, count);
    for (i += threads; i + (kLoads - 1) * threads < whole; i += kLoads * threads) {
        uint4 v[kLoads];
#pragma unroll
        for (int k = 0; k < kLoads; ++k) v[k] = __ldcs(&vectors[i + k * threads]);
#pragma unroll
        for (int k = 0; k < kLoads; ++k) for_each_of_16(v[k], count);
    }
    for (; i < whole; i += threads) for_each_of_16(__ldcs(&vectors[i]), count);
    for (std::size_t k = thread; k < head; k += threads) count(d_data[k]);
    for (std::size_t k = head + whole * sizeof(uint4) + thread; k < n; k += threads) count(d_data[k]);
}

/// 16 bytes in one load: a sixteenth of the requests for the same bytes.
__global__ void wide_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];

    for_each_byte<1>(
        d_data, n, [&] { zero_counts(counts, kBins); },
        [&](unsigned int byte) { atomicAdd(&counts[byte], 1u); });

    merge_counts(counts, d_bins);
}

/// Threads a block of the kernels below, at most: two such blocks fill a multiprocessor.
constexpr unsigned int kWideBlock = 1024;

/// How many copies the last two variants have: one for each lane of a warp.
constexpr unsigned int kMostCopies = 32;

/// @brief Counts the block's share in copies of the histogram that lie interleaved: the counter of a
/// lane is `bin × copies + lane % copies`.
///
/// Shared memory has 32 banks, and word w is in bank w mod 32. With 32 copies, each lane of a warp
/// has a bank of its own, whatever the data: no two lanes meet at an address or in a bank.
/// @param[out] words `kBins * kCopies / 4` vectors in shared memory: the counters, cleared four at a time.
/// @return The same counters, complete.
template <unsigned int kCopies>
__device__ inline const unsigned int* count_in_copies(const unsigned char* d_data, std::size_t n,
                                                      uint4* words) {
    const auto clear = [&] {
        for (unsigned int k = threadIdx.x; k < kBins * kCopies / 4; k += blockDim.x) words[k] = uint4{};
        __syncthreads();
    };
    unsigned int* const counts = reinterpret_cast<unsigned int*>(words);
    unsigned int* const own = &counts[threadIdx.x % kCopies];
    for_each_byte<4>(d_data, n, clear, [&](unsigned int byte) { atomicAdd(&own[byte * kCopies], 1u); });
    __syncthreads();
    return counts;
}

/// @return What all copies together have counted in bin `b`.
template <unsigned int kCopies>
__device__ inline unsigned int sum_of_copies(const unsigned int* counts, unsigned int b) {
    unsigned int sum = 0;
    // Each thread begins with another copy: together they read from all banks, not from one.
    for (unsigned int k = 0; k < kCopies; ++k) sum += counts[b * kCopies + (k + b) % kCopies];
    return sum;
}

/// Counts in `kCopies` copies, and adds their sums to the bins.
template <unsigned int kCopies>
__global__ void __launch_bounds__(kWideBlock)
    copies_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ uint4 words[kBins * kCopies / 4];
    const unsigned int* const counts = count_in_copies<kCopies>(d_data, n, words);
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum_of_copies<kCopies>(counts, b)));
}

/// How many bits of an unfinished bin count bytes, and how many blocks the others can count.
constexpr unsigned int kCountBits = 44, kMostBlocks = (1u << (64 - kCountBits)) - 1;

/// @brief Nothing is cleared: to the block that comes last to a bin, its atomic addition says what all have
/// counted, and it stores that.
///
/// What a block hands to the next is one number, so no order between two writes has to be kept.
/// @tparam kAlone For a grid of one block, which has nothing to add to and stores its own counts.
/// @param[in,out] d_unfinished 256 numbers. In the lower bits what has been counted, in the upper ones how
///                many blocks have added to it; all are 0 before, and again after.
template <bool kAlone>
__global__ void __launch_bounds__(kWideBlock)
    one_launch_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                      unsigned long long* d_unfinished) {
    constexpr unsigned long long kOneBlock = 1ull << kCountBits;
    __shared__ uint4 words[kBins * kMostCopies / 4];
    const unsigned int* const counts = count_in_copies<kMostCopies>(d_data, n, words);
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) {
        const unsigned long long sum = sum_of_copies<kMostCopies>(counts, b);
        if (kAlone) {
            d_bins[b] = sum;
            continue;
        }
        const unsigned long long all = atomicAdd(&d_unfinished[b], kOneBlock + sum) + kOneBlock + sum;
        if (all >> kCountBits == gridDim.x) {
            d_bins[b] = all % kOneBlock;
            d_unfinished[b] = 0;
        }
    }
}

/// @}

/// @name Host functions
/// Each is a @ref HistogramFunction, which says what it takes, gives and throws.
/// @{

/// A thread for 16 consecutive bytes.
inline void histogram_contiguous(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                 LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    contiguous_kernel<<<blocks_for(n, block * kCoarsening), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// A thread for 16 bytes that are a block apart.
inline void histogram_strided(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                              LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    strided_kernel<<<blocks_for(n, block * kCoarsening), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Eight blocks a multiprocessor, which load 16 bytes at a time.
inline void histogram_wide(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                           LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int grid = shape.grid_or(8 * multiprocessor_count());
    require_32_bit_counters(n, grid, block * 2 * sizeof(uint4));
    wide_kernel<<<grid, block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @brief How many blocks count `n` bytes: two on each multiprocessor, or fewer for small inputs, so that a
/// block has more to count than to clear and to merge.
///
/// A first block on a multiprocessor is worth its while from one load of each thread on, 16 KiB. The second
/// ones come all at once, since those that have none would wait for the others: from 16 loads on.
inline unsigned int copies_grid(std::size_t n, unsigned int block) {
    const unsigned int multiprocessors = multiprocessor_count();
    const unsigned int by_one_load = blocks_for(n, block * sizeof(uint4));
    if (by_one_load / 16 >= 2 * multiprocessors) return 2 * multiprocessors;
    return std::min(by_one_load, multiprocessors);
}

/// Blocks of 1024 threads, two of which fill a multiprocessor, with `kCopies` KiB of counters each.
template <unsigned int kCopies>
void histogram_copies(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                      LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kWideBlock);
    const unsigned int grid = shape.grid_or(copies_grid(n, block));
    require_32_bit_counters(n, grid, block * 2 * sizeof(uint4));
    copies_kernel<kCopies><<<grid, block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @brief The same with 32 copies, in a launch that needs none before it. Its workspace, behind `d_bins`, are
/// the unfinished bins.
/// @throws std::invalid_argument also for more blocks or bytes than an unfinished bin can count.
inline void histogram_one_launch(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                 LaunchShape shape) {
    if (n == 0) {
        CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
        return;
    }
    const unsigned int block = shape.block_or(kWideBlock);
    const unsigned int grid = shape.grid_or(copies_grid(n, block));
    require_32_bit_counters(n, grid, block * 2 * sizeof(uint4));
    if (grid > kMostBlocks || n >> kCountBits != 0)
        throw std::invalid_argument("one launch counts no more than " + std::to_string(kMostBlocks) +
                                    " blocks and 2^" + std::to_string(kCountBits) + " bytes");
    const auto kernel = grid == 1 ? one_launch_kernel<true> : one_launch_kernel<false>;
    kernel<<<grid, block>>>(d_data, n, d_bins, d_bins + kBins);
    CUDA_CHECK(cudaGetLastError());
}

/// @}

/// The chapter's variants, in the order of the story.
inline const std::vector<HistogramVariant>& variants() {
    static const std::vector<HistogramVariant> all = [] {
        HistogramVariant contiguous{"contiguous", "16 consecutive elements a thread", histogram_contiguous};
        contiguous.grid_follows_n = true;
        HistogramVariant strided{"strided", "16 elements a thread, a block apart", histogram_strided};
        strided.grid_follows_n = true;
        HistogramVariant one_launch{"one launch",
                                    "nothing is cleared: the last block to add to a bin stores it",
                                    histogram_one_launch};
        one_launch.workspace = kBins;
        one_launch.most_blocks = kMostBlocks;
        return std::vector<HistogramVariant>{
            contiguous,
            strided,
            {"16-byte loads", "16 elements in one load", histogram_wide},
            {"8 copies", "8 interleaved copies of the histogram", histogram_copies<8>},
            {"16 copies", "16 interleaved copies", histogram_copies<16>},
            {"32 copies", "32 interleaved copies: a bank for each lane", histogram_copies<kMostCopies>},
            one_launch,
        };
    }();
    return all;
}
