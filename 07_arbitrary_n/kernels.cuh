/// @file
/// @brief Chapter 07: any n, any block size, and no work for the CPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/cuda/load.cuh"
#include "../common/problem/sum_of_squares.cuh"

/// Threads per block, unless the caller chooses another number; and the most that a block can have.
constexpr unsigned int kBlock = 256, kMostThreads = 1024;

/// @brief Adds up one value per thread of the block, for any block size.
///
/// By halves, rounded up: with an odd number of values, the middle one waits for the next level.
/// Two calls must be separated by a barrier, because both use the same shared memory.
/// @return The sum.
__device__ inline unsigned long long block_sum(unsigned long long value) {
    __shared__ unsigned long long values[kMostThreads];
    // [07.1] Add up the block's values by halves, whatever their number.
    values[threadIdx.x] = value;
    __syncthreads();
    for (unsigned int count = blockDim.x; count > 1;) {
        const unsigned int half = count - count / 2;
        if (threadIdx.x + half < count) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
        count = half;
    }
    return values[0];
    // [/07.1] return 0;
}

/// The sum of this thread's share of the squares, which are a grid's stride apart.
__device__ inline unsigned long long own_squares(const int* d_data, std::size_t n) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long sum = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        sum += square(d_data[i]);
    return sum;
}

/// @name Kernels
/// Each takes `n` ints, or `count` partial sums, with any block size unless noted, and with any grid unless
/// it loads one element per thread. Sums are modulo 2^64. All arrays are in device memory.
/// @{

/// One element per thread, with a guard: a thread without an element adds 0 to the block's sum.
/// @par Source
/// E (Hobbit 2015), as is the second kernel. In E, a thread without an element stores nothing.
__global__ void partial_add_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    // [07.2] Square this thread's element, if it has one, and store the block's sum.
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned long long sum = block_sum(i < n ? square(d_data[i]) : 0);
    if (threadIdx.x == 0) d_partials[blockIdx.x] = sum;
    // [/07.2]
}

/// The second kernel, launched with one block: its threads stride over any number of partial sums.
__global__ void total_add_kernel(const unsigned long long* d_partials, std::size_t count,
                                 unsigned long long* d_sum) {
    // [07.2] Add up all partial sums with one block, and store the total.
    unsigned long long own = 0;
    for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) own += d_partials[i];
    const unsigned long long sum = block_sum(own);
    if (threadIdx.x == 0) *d_sum = sum;
    // [/07.2]
}

/// Partial sums of partial sums: one per block, from one array to another.
__global__ void reduce_again_kernel(const unsigned long long* d_from, std::size_t count,
                                    unsigned long long* d_to) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned long long sum = block_sum(i < count ? d_from[i] : 0);
    if (threadIdx.x == 0) d_to[blockIdx.x] = sum;
}

/// Threads stride, so as many blocks as the device can hold suffice for any n, and there are few sums.
__global__ void stride_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    const unsigned long long sum = block_sum(own_squares(d_data, n));
    if (threadIdx.x == 0) d_partials[blockIdx.x] = sum;
}

/// @brief Adds up the sums of all blocks, in the block that finishes last.
///
/// Thread 0 of each block stores its partial sum and then draws a ticket. The `__threadfence` between the
/// two makes the sum visible to all blocks before the ticket is drawn. Thus, the block that draws the last
/// ticket can read all sums. `atomicInc` wraps around from `gridDim.x - 1` to 0, ready for the next launch.
/// @param[in,out] d_workspace The counter, 0 before the first launch, and then one number per block.
__device__ inline void finish_in_last_block(unsigned long long sum, unsigned long long* d_workspace,
                                            unsigned long long* d_sum) {
    unsigned int* const d_done = reinterpret_cast<unsigned int*>(d_workspace);
    unsigned long long* const d_partials = d_workspace + 1;
    // [07.3] Store the block's sum, find out whether this block is the last one, and there add up all sums.
    __shared__ bool last;
    if (threadIdx.x == 0) {
        d_partials[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(d_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    unsigned long long own = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) own += __ldcg(&d_partials[b]);
    const unsigned long long total = block_sum(own);
    if (threadIdx.x == 0) *d_sum = total;
    // [/07.3]
}

/// The partial sums and their total in one launch.
__global__ void last_block_kernel(const int* d_data, std::size_t n, unsigned long long* d_workspace,
                                  unsigned long long* d_sum) {
    finish_in_last_block(block_sum(own_squares(d_data, n)), d_workspace, d_sum);
}

/// @brief No partial sums: one atomic addition per block, to a total that has been cleared.
///
/// The sum of integers modulo 2^64 is the same in any order. That of floating-point numbers is not.
__global__ void atomic_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    // [07.4] Add the block's sum to the total.
    const unsigned long long sum = block_sum(own_squares(d_data, n));
    if (threadIdx.x == 0) atomicAdd(d_sum, sum);
    // [/07.4]
}

/// How many loads each thread has in flight.
constexpr unsigned int kLoads = 4;

/// @brief Adds up the squares of four values, one in each piece of a tile; a piece is as long as the block.
///
/// All loads are issued before the first value is used.
/// @tparam kWhole Whether the tile is whole. If not, it ends at `count`, and out-of-range elements read
///         as 0.
/// @tparam Value `int`, or `int4`: four ints in one load, at an address that is a multiple of 16.
template <bool kStreaming, bool kWhole, typename Value>
__device__ inline unsigned long long tile_squares(const Value* d_tile, std::size_t count) {
    Value v[kLoads];
#pragma unroll
    for (unsigned int k = 0; k < kLoads; ++k) {
        const unsigned int i = threadIdx.x + k * blockDim.x;
        v[k] = kWhole || i < count ? load<kStreaming>(&d_tile[i]) : Value{};
    }
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned int k = 0; k < kLoads; ++k) sum += square(v[k]);
    return sum;
}

/// @brief The sum of this thread's share, by loads of 16 bytes: the grid's blocks stride over tiles.
///
/// Such loads need addresses that are multiples of 16. Up to three ints before the first such address, and
/// up to three after the last whole vector, are loaded one by one.
template <bool kStreaming>
__device__ inline unsigned long long own_squares_wide(const int* d_data, std::size_t n) {
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(d_data) / sizeof(int) % 4;
    const std::size_t to_aligned = (4 - misaligned) % 4;
    const std::size_t head = to_aligned < n ? to_aligned : n;
    const std::size_t count = (n - head) / 4, tail = head + count * 4;
    const int4* const vectors = reinterpret_cast<const int4*>(d_data + head);

    unsigned long long sum = own_squares(d_data, head) + own_squares(d_data + tail, n - tail);
    const std::size_t tile = std::size_t{blockDim.x} * kLoads;
    std::size_t first = blockIdx.x * tile;
    for (; first + tile <= count; first += gridDim.x * tile)
        sum += tile_squares<kStreaming, true>(vectors + first, tile);
    if (first < count) sum += tile_squares<kStreaming, false>(vectors + first, count - first);
    return sum;
}

/// An atomic per block, with loads of 16 bytes.
template <bool kStreaming>
__global__ void wide_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    const unsigned long long sum = block_sum(own_squares_wide<kStreaming>(d_data, n));
    if (threadIdx.x == 0) atomicAdd(d_sum, sum);
}

/// Adds up a warp's values by shuffles, as chapter 06 does. All 32 lanes must call it; lane 0 gets the sum.
__device__ inline unsigned long long warp_sum(unsigned long long value) {
    for (unsigned int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
    return value;
}

/// For whole warps: each adds up by shuffles, then one warp adds up these sums. Thread 0 gets the total.
__device__ inline unsigned long long block_sum_by_shuffles(unsigned long long value) {
    __shared__ unsigned long long sums[kMostThreads / 32];
    const unsigned long long sum = warp_sum(value);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    return warp_sum(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
}

/// Like `wide_kernel`, with shuffles, for blocks of whole warps.
template <bool kStreaming>
__global__ void shuffles_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    const unsigned long long sum = block_sum_by_shuffles(own_squares_wide<kStreaming>(d_data, n));
    if (threadIdx.x == 0) atomicAdd(d_sum, sum);
}

/// Up to this many ints are added up by one block.
constexpr unsigned int kFew = 8192;

/// For one block of whole warps. No other block adds to the sum, so it is stored, and nothing needs clearing.
__global__ void lone_block_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    const unsigned int tile = blockDim.x * kLoads;
    unsigned long long sum = 0;
    for (std::size_t first = 0; first < n; first += tile)
        sum += tile_squares<true, false>(d_data + first, n - first);
    sum = blockDim.x == 32 ? warp_sum(sum) : block_sum_by_shuffles(sum);
    if (threadIdx.x == 0) *d_sum = sum;
}

/// @}

/// The default grid: as many blocks as the device can hold, or fewer if there is less work.
inline unsigned int fitting_grid(std::size_t n, const LaunchShape& shape, unsigned int elements_per_thread) {
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int useful = blocks_for(n, block * elements_per_thread);
    return shape.grid_or(std::min(useful, resident_blocks(block)));
}

/// @name Host functions
/// Each is a @ref Variant::Run, which documents the parameters, the result and the exceptions.
/// @{

/// One partial sum per block, and one block for the total.
inline void sum_two_kernels(const int* d_data, std::size_t n, unsigned long long* d_sum,
                            unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int grid = blocks_for(n, block);
    partial_add_kernel<<<grid, block>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    total_add_kernel<<<1, kMostThreads>>>(d_partials, grid, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// @brief Partial sums of partial sums, until one is left.
/// @param d_workspace Two arrays, each with one number per block of the first launch.
inline void sum_again_and_again(const int* d_data, std::size_t n, unsigned long long* d_sum,
                                unsigned long long* d_workspace, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kBlock);
    std::size_t count = blocks_for(n, block);
    unsigned long long *d_from = d_workspace, *d_to = d_workspace + count;
    partial_add_kernel<<<static_cast<unsigned int>(count), block>>>(d_data, n, d_from);
    CUDA_CHECK(cudaGetLastError());
    while (count > 1) {
        const unsigned int again = block > 1 ? block : 2;  // blocks of one thread would never reduce anything
        const unsigned int grid = blocks_for(count, again);
        reduce_again_kernel<<<grid, again>>>(d_from, count, d_to);
        CUDA_CHECK(cudaGetLastError());
        unsigned long long* const d_done = d_to;
        d_to = d_from;
        d_from = d_done;
        count = grid;
    }
    CUDA_CHECK(cudaMemcpyAsync(d_sum, d_from, sizeof(*d_sum), cudaMemcpyDeviceToDevice));
}

/// One partial sum per block, with fewer blocks, whose threads stride.
inline void sum_stride(const int* d_data, std::size_t n, unsigned long long* d_sum,
                       unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int grid = fitting_grid(n, shape, 1);
    stride_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    total_add_kernel<<<1, kMostThreads>>>(d_partials, grid, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// One launch; `d_workspace` has the counter and one number per block.
inline void sum_last_block(const int* d_data, std::size_t n, unsigned long long* d_sum,
                           unsigned long long* d_workspace, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    last_block_kernel<<<fitting_grid(n, shape, 1), shape.block_or(kBlock)>>>(d_data, n, d_workspace, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// One launch, after clearing the total, and no workspace.
inline void sum_atomic(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                       LaunchShape shape) {
    clear_sum(d_sum);
    if (n == 0) return;
    atomic_kernel<<<fitting_grid(n, shape, 1), shape.block_or(kBlock)>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// Threads per block with loads of 16 bytes. A tile is then 32 KiB of contiguous data.
constexpr unsigned int kWideBlock = 512;

/// As *an atomic per block*, but with loads of 16 bytes, four of them in flight per thread.
inline void sum_wide(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                     LaunchShape shape) {
    clear_sum(d_sum);
    if (n == 0) return;
    shape.block = shape.block_or(kWideBlock);
    const auto kernel = should_stream(n * sizeof(int)) ? wide_kernel<true> : wide_kernel<false>;
    kernel<<<fitting_grid(n, shape, 4 * kLoads), shape.block>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// As *16-byte loads*, but with shuffles.
inline void sum_shuffles(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                         LaunchShape shape) {
    clear_sum(d_sum);
    if (n == 0) return;
    shape.block = shape.block_or(kWideBlock);
    const auto kernel = should_stream(n * sizeof(int)) ? shuffles_kernel<true> : shuffles_kernel<false>;
    kernel<<<fitting_grid(n, shape, 4 * kLoads), shape.block>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// One block adds up at most `kFew` ints, with as many warps as they need. For more ints, or for a grid of
/// several blocks, the same as *shuffles*.
inline void sum_lone_block(const int* d_data, std::size_t n, unsigned long long* d_sum,
                           unsigned long long* d_workspace, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    if (n > kFew || shape.grid > 1) return sum_shuffles(d_data, n, d_sum, d_workspace, shape);
    const unsigned int warps = std::min(blocks_for(n, 32 * kLoads), kMostThreads / 32);
    lone_block_kernel<<<1, shape.block_or(32 * warps)>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// @}

/// The chapter's variants, in the order of the chapter.
inline const std::vector<Variant<SumOfSquares>> kVariants = {
    {.name = "two kernels",
     .idea = "guards for any n, and a second kernel for the total",
     .run = sum_two_kernels,
     .workspace = [](std::size_t n, LaunchShape shape) -> std::size_t {
         return blocks_for(n, shape.block_or(kBlock));
     },
     .grid_follows_n = true},
    {.name = "again and again",
     .idea = "partial sums reduced until one is left",
     .run = sum_again_and_again,
     .workspace = [](std::size_t n, LaunchShape shape) -> std::size_t {
         return 2 * std::size_t{blocks_for(n, shape.block_or(kBlock))};
     },
     .grid_follows_n = true},
    {.name = "grid-stride",
     .idea = "few blocks that stride, so few partial sums",
     .run = sum_stride,
     .workspace = [](std::size_t n, LaunchShape shape) -> std::size_t { return fitting_grid(n, shape, 1); }},
    {.name = "last block",
     .idea = "one launch: the last block adds up the partial sums",
     .run = sum_last_block,
     .workspace = [](std::size_t n, LaunchShape shape) -> std::size_t {
         return 1 + std::size_t{fitting_grid(n, shape, 1)};
     },
     .zeroed_workspace = true},
    {.name = "an atomic per block",
     .idea = "no partial sums: each block adds to the total",
     .run = sum_atomic},
    {.name = "16-byte loads", .idea = "four loads of 16 bytes per thread in flight", .run = sum_wide},
    {.name = "shuffles",
     .idea = "one barrier per block, in place of one per level",
     .run = sum_shuffles,
     .whole_warps = true},
    {.name = "a lone block",
     .idea = "one block for few ints stores the sum: no clear, no atomic addition",
     .run = sum_lone_block,
     .whole_warps = true},
};
