/// @file
/// @brief Chapter 07: any n, any block, and no CPU at the end; at last as fast as memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../common/cuda_check.cuh"
#include "../common/device.cuh"
#include "../common/sum.cuh"

/// Threads a block, unless the caller says otherwise, and the most that there can be.
constexpr unsigned int kBlock = 256, kMostThreads = 1024;

/// @brief Adds up one value of each thread of the block, whatever the block's size.
///
/// Halves, rounded up: of an odd number the middle one waits for the next level.
/// A barrier must stand between two calls: both use the same cells.
/// @return The sum.
__device__ inline unsigned long long block_sum(unsigned long long value) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = value;
    __syncthreads();
    for (unsigned int count = blockDim.x; count > 1;) {
        const unsigned int half = count - count / 2;
        if (threadIdx.x + half < count) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
        count = half;
    }
    return values[0];
}

/// The sum of this thread's share of the squares, a grid's stride apart.
__device__ inline unsigned long long own_squares(const int* d_data, std::size_t n) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long sum = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        sum += square(d_data[i]);
    return sum;
}

/// @name Kernels
/// Each takes `n` ints, or `count` partial sums, by any grid of any block. Sums are modulo 2^64. All of it
/// is in device memory.
/// @{

/// One element a thread, guarded: a thread without an element brings 0, so no cell is left unwritten.
/// @par Source
/// E (Hobbit 2015), as is the second kernel; there the cells past n are read unwritten.
__global__ void partial_add_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned long long sum = block_sum(i < n ? square(d_data[i]) : 0);
    if (threadIdx.x == 0) d_partials[blockIdx.x] = sum;
}

/// The second kernel, of one block: its threads stride over the partial sums, however many there are.
__global__ void total_add_kernel(const unsigned long long* d_partials, std::size_t count,
                                 unsigned long long* d_sum) {
    unsigned long long own = 0;
    for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) own += d_partials[i];
    const unsigned long long sum = block_sum(own);
    if (threadIdx.x == 0) *d_sum = sum;
}

/// Partial sums of partial sums: one a block, from one array into another.
__global__ void reduce_again_kernel(const unsigned long long* d_from, std::size_t count,
                                    unsigned long long* d_to) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned long long sum = block_sum(i < count ? d_from[i] : 0);
    if (threadIdx.x == 0) d_to[blockIdx.x] = sum;
}

/// As many blocks as the device can hold, each striding: the partial sums are few, whatever n is.
__global__ void stride_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    const unsigned long long sum = block_sum(own_squares(d_data, n));
    if (threadIdx.x == 0) d_partials[blockIdx.x] = sum;
}

/// @brief Adds up what all blocks have left, in the block that comes last.
///
/// Thread 0 of each block writes its partial sum and then draws a number. `__threadfence` between the
/// two makes the sum visible to all before the number is drawn; so whoever draws the last number can
/// read all sums. `atomicInc` counts from `gridDim.x - 1` on to 0: ready for the next launch.
/// @param[in,out] d_workspace The counter, then a number for each block.
__device__ inline void finish_in_last_block(unsigned long long sum, unsigned long long* d_workspace,
                                            unsigned long long* d_sum) {
    unsigned int* const d_done = reinterpret_cast<unsigned int*>(d_workspace);
    unsigned long long* const d_partials = d_workspace + 1;
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
}

/// One launch for everything.
__global__ void last_block_kernel(const int* d_data, std::size_t n, unsigned long long* d_workspace,
                                  unsigned long long* d_sum) {
    finish_in_last_block(block_sum(own_squares(d_data, n)), d_workspace, d_sum);
}

/// @brief No partial sums at all: one atomic addition a block, to a total that has been cleared.
///
/// Integers add up to the same in any order, and modulo 2^64 too. Floating-point numbers would not.
__global__ void atomic_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    const unsigned long long sum = block_sum(own_squares(d_data, n));
    if (threadIdx.x == 0) atomicAdd(d_sum, sum);
}

/// How many loads of 16 bytes a thread has asked for before it looks at the first.
constexpr int kLoads = 4;

/// The four squares of a vector, added up.
__device__ inline unsigned long long squares(const int4& v) {
    return square(v.x) + square(v.y) + square(v.z) + square(v.w);
}

/// @brief The sum of this thread's share, by loads of 16 bytes.
///
/// Such loads want addresses that are multiples of 16: up to three ints before the first one, and up
/// to three behind the last, are taken one a thread.
__device__ inline unsigned long long own_squares_wide(const int* d_data, std::size_t n) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(d_data) / sizeof(int) % 4;
    const std::size_t to_aligned = (4 - misaligned) % 4;
    const std::size_t head = to_aligned < n ? to_aligned : n;
    const int4* const vectors = reinterpret_cast<const int4*>(d_data + head);
    const std::size_t whole = (n - head) / 4;

    unsigned long long sum = 0;
    for (std::size_t i = thread; i < head; i += threads) sum += square(d_data[i]);
    std::size_t i = thread;
    for (; i + (kLoads - 1) * threads < whole; i += kLoads * threads) {
        int4 v[kLoads];
#pragma unroll
        for (int k = 0; k < kLoads; ++k) v[k] = __ldcs(&vectors[i + k * threads]);
#pragma unroll
        for (int k = 0; k < kLoads; ++k) sum += squares(v[k]);
    }
    for (; i < whole; i += threads) sum += squares(__ldcs(&vectors[i]));
    for (std::size_t k = head + whole * 4 + thread; k < n; k += threads) sum += square(d_data[k]);
    return sum;
}

/// The same with wide loads. A block that is alone stores its sum, and nothing needs to be cleared.
__global__ void wide_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    const unsigned long long sum = block_sum(own_squares_wide(d_data, n));
    if (threadIdx.x != 0) return;
    if (gridDim.x == 1)
        *d_sum = sum;
    else
        atomicAdd(d_sum, sum);
}

/// @}

/// The default grid: what the device can hold, or fewer blocks where there is less to do.
inline unsigned int fitting_grid(std::size_t n, const LaunchShape& shape, unsigned int elements_per_thread) {
    const unsigned int useful = blocks_for(n, shape.block_or(kBlock) * elements_per_thread);
    const unsigned int resident = 8 * multiprocessor_count();
    return shape.grid_or(useful < resident ? useful : resident);
}

/// @name Host functions
/// Each is a @ref SumFunction, which says what it takes, gives and throws.
/// @{

/// A partial sum a block, and one block for the total.
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
/// @param d_workspace One number for each block of the first launch, and as many for the second.
inline void sum_again_and_again(const int* d_data, std::size_t n, unsigned long long* d_sum,
                                unsigned long long* d_workspace, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kBlock);
    std::size_t count = blocks_for(n, block);
    unsigned long long *d_from = d_workspace, *d_to = d_workspace + count;
    partial_add_kernel<<<static_cast<unsigned int>(count), block>>>(d_data, n, d_from);
    CUDA_CHECK(cudaGetLastError());
    while (count > 1) {
        const unsigned int again = block > 1 ? block : 2;  // blocks of one thread would never get further
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

/// The same with few blocks that stride.
inline void sum_stride(const int* d_data, std::size_t n, unsigned long long* d_sum,
                       unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int grid = fitting_grid(n, shape, 1);
    stride_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    total_add_kernel<<<1, kMostThreads>>>(d_partials, grid, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// One launch; `d_workspace` holds the counter and a number for each block.
inline void sum_last_block(const int* d_data, std::size_t n, unsigned long long* d_sum,
                           unsigned long long* d_workspace, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    last_block_kernel<<<fitting_grid(n, shape, 1), shape.block_or(kBlock)>>>(d_data, n, d_workspace, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// One launch after the total is cleared, and no workspace.
inline void sum_atomic(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                       LaunchShape shape) {
    clear_sum(d_sum);
    if (n == 0) return;
    atomic_kernel<<<fitting_grid(n, shape, 1), shape.block_or(kBlock)>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// Blocks of 128 threads, 8 on a multiprocessor: with four loads each, that is enough to ask for.
inline void sum_wide(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                     LaunchShape shape) {
    const unsigned int block = shape.block_or(128);
    const unsigned int grid = fitting_grid(n, {shape.grid, block}, 4 * kLoads);
    if (n == 0 || grid > 1) clear_sum(d_sum);
    if (n == 0) return;
    wide_kernel<<<grid, block>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// @}

/// The chapter's variants, in the order of the story.
inline const std::vector<SumVariant>& variants() {
    static const std::vector<SumVariant> all = [] {
        SumVariant two{"two kernels", "guards for any n, and a second kernel for the total", sum_two_kernels};
        two.grid_follows_n = true;
        two.workspace = [](std::size_t n, LaunchShape shape) -> std::size_t {
            return blocks_for(n, shape.block_or(kBlock));
        };
        SumVariant again{"again and again", "partial sums reduced until one is left", sum_again_and_again};
        again.grid_follows_n = true;
        again.workspace = [](std::size_t n, LaunchShape shape) -> std::size_t {
            return 2 * std::size_t{blocks_for(n, shape.block_or(kBlock))};
        };
        SumVariant stride{"grid-stride", "few blocks that stride, so few partial sums", sum_stride};
        SumVariant last{"last block", "one launch: the last block adds up the partial sums", sum_last_block};
        SumVariant atomic{"an atomic a block", "no partial sums: each block adds to the total", sum_atomic};
        SumVariant wide{"16-byte loads", "the same, four loads of 16 bytes in flight", sum_wide};
        stride.workspace = last.workspace = [](std::size_t n, LaunchShape shape) -> std::size_t {
            return 1 + fitting_grid(n, shape, 1);
        };
        return std::vector<SumVariant>{two, again, stride, last, atomic, wide};
    }();
    return all;
}
