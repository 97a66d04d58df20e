/// @file
/// @brief Chapter 06: the threads of a block add up together, so that each block leaves one number.
///
/// Except in the tree in global memory, each kernel takes one or two elements per thread and stores one
/// partial sum per block; the CPU adds these up. They differ only in what happens inside the block.
#pragma once

#include <cstddef>
#include <vector>

#include "../common/cuda/error.cuh"
#include "../common/problem/sum_of_squares.cuh"

/// Threads per block, unless the caller chooses another number; and the most that a block can have.
constexpr unsigned int kBlock = 256, kMostThreads = 1024;

/// The square of this thread's element, or 0 if there is none, as for some threads of the last block.
__device__ inline unsigned long long own_square(const int* d_data, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    return i < n ? square(d_data[i]) : 0;
}

/// @name A tree in global memory: one launch per level, because only the end of a kernel is a barrier for
///       all blocks.
/// After E (Hobbit 2015), where n is halved without rounding up.
/// @{

/// Stores `n` squares in device memory.
__global__ void square_kernel(const int* d_data, std::size_t n, unsigned long long* d_values) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) d_values[i] = square(d_data[i]);
}

/// Adds the upper part of `count` values to the lower `half`. If the count is odd, the middle value waits.
__global__ void fold_kernel(unsigned long long* d_values, std::size_t count, std::size_t half) {
    // [06.1] Add an element of the upper part to one of the lower part, if this thread has such a pair.
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + half < count) d_values[i] += d_values[i + half];
    // [/06.1]
}
/// @}

/// @name Kernels
/// Each takes `n` ints and stores one partial sum of squares per block, modulo 2^64; both in device memory.
/// @{

/// The threads store their squares in shared memory, and thread 0 alone adds them up.
/// @par Source
/// C (Caijinping 2014).
__global__ void thread_zero_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    if (threadIdx.x != 0) return;
    unsigned long long sum = 0;
    for (unsigned int t = 0; t < blockDim.x; ++t) sum += values[t];
    d_partials[blockIdx.x] = sum;
}

/// A tree of adjacent pairs: 0 and 1, 2 and 3, and so on; then 0 and 2, 4 and 6. The threads that add are
/// spread over all warps, so each warp issues every addition for only a few of its lanes.
/// @par Source
/// E (Hobbit 2015).
__global__ void adjacent_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        if (threadIdx.x % (2 * step) == 0) values[threadIdx.x] += values[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

/// *Adjacent pairs*, added by the lowest threads: whole warps are active or idle. But neighbouring lanes
/// now read values that are `2 × step` apart, and after a few levels all of these are in the same banks.
__global__ void adjacent_packed_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        const unsigned int left = 2 * step * threadIdx.x;
        if (left < blockDim.x) values[left] += values[left + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

/// Halves: the upper half is added to the lower. Neighbouring lanes read neighbours, without bank conflicts.
/// @par Source
/// C (Caijinping 2014), and E in another form.
__global__ void halves_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    // [06.2] Add the upper half to the lower until one value is left, and store it.
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
    // [/06.2]
}

/// In *halves*, half of the threads only load. Now each loads two elements and adds them before it stores.
__device__ inline unsigned long long two_squares(const int* d_data, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x * 2 + threadIdx.x;
    const unsigned long long first = i < n ? square(d_data[i]) : 0;
    return i + blockDim.x < n ? first + square(d_data[i + blockDim.x]) : first;
}

/// Halves, with two elements per thread.
__global__ void first_add_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = two_squares(d_data, n);
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

/// Adds up a warp's values by shuffles: lanes read each other's registers, without shared memory and
/// without a barrier. Lane 0 gets the sum.
__device__ inline unsigned long long warp_sum(unsigned long long value) {
    // [06.3] Add up the values of the warp's lanes with __shfl_down_sync.
    for (int delta = warpSize / 2; delta > 0; delta /= 2)
        value += __shfl_down_sync(0xffffffffu, value, delta);
    return value;
    // [/06.3] return 0;
}

/// The last 32 values are added up by one warp, which needs no barrier of the block.
__global__ void last_warp_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = two_squares(d_data, n);
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half >= 32; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x >= 32) return;
    const unsigned long long sum = warp_sum(values[threadIdx.x]);
    if (threadIdx.x == 0) d_partials[blockIdx.x] = sum;
}

/// Each warp adds up its values by shuffles, then one warp adds up the warps' sums: one barrier in all.
__global__ void warps_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long sums[kMostThreads / 32];
    // [06.3] Add up each warp, then the sums of the warps, and store the total.
    const unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    const unsigned long long own = warp_sum(two_squares(d_data, n));
    if (lane == 0) sums[warp] = own;
    __syncthreads();
    if (warp != 0) return;
    const unsigned long long sum = warp_sum(lane < blockDim.x / warpSize ? sums[lane] : 0);
    if (lane == 0) d_partials[blockIdx.x] = sum;
    // [/06.3]
}

/// @}

/// @name Host functions
/// Each is a @ref Variant::Run, which documents the parameters, the result and the exceptions.
/// @{

/// One launch per level; `d_values` has room for `n` numbers.
inline void sum_global_tree(const int* d_data, std::size_t n, unsigned long long* d_sum,
                            unsigned long long* d_values, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kBlock);
    square_kernel<<<blocks_for(n, block), block>>>(d_data, n, d_values);
    CUDA_CHECK(cudaGetLastError());
    // [06.1] Launch fold_kernel for one level after another, until one value is left.
    for (std::size_t count = n; count > 1;) {
        const std::size_t lower = count - count / 2;  // rounded up: no element is dropped
        fold_kernel<<<blocks_for(lower, block), block>>>(d_values, count, lower);
        CUDA_CHECK(cudaGetLastError());
        count = lower;
    }
    // [/06.1]
    CUDA_CHECK(cudaMemcpy(d_sum, d_values, sizeof(*d_sum), cudaMemcpyDeviceToDevice));
}

/// A kernel that stores one partial sum per block.
using PartialsKernel = void(const int*, std::size_t, unsigned long long*);

/// Launches a kernel that stores one partial sum per block, and lets the CPU add those up.
template <PartialsKernel* kKernel, unsigned int kElementsPerThread>
void sum_by_blocks(const int* d_data, std::size_t n, unsigned long long* d_sum,
                   unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int grid = blocks_for(n, block * kElementsPerThread);
    kKernel<<<grid, block>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, grid, d_sum);
}

/// @}

/// Workspace: one partial sum per block.
inline std::size_t one_per_block(std::size_t n, LaunchShape shape) {
    return blocks_for(n, shape.block_or(kBlock));
}

/// The chapter's variants, in the order of the chapter.
inline const std::vector<Variant<SumOfSquares>> kVariants = {
    {.name = "tree in global memory",
     .idea = "log2 n launches, each with half the threads",
     .run = sum_global_tree,
     .workspace = [](std::size_t n, LaunchShape) { return n; },
     .grid_follows_n = true},
    {.name = "thread 0 adds",
     .idea = "shared memory, and one thread's loop",
     .run = sum_by_blocks<thread_zero_kernel, 1>,
     .workspace = one_per_block,
     .grid_follows_n = true},
    {.name = "adjacent pairs",
     .idea = "a tree inside the block: log2(block) steps instead of one thread's loop",
     .run = sum_by_blocks<adjacent_kernel, 1>,
     .workspace = one_per_block,
     .grid_follows_n = true,
     .power_of_two_block = true},
    {.name = "pairs, packed",
     .idea = "the lowest threads add: whole warps are active or idle",
     .run = sum_by_blocks<adjacent_packed_kernel, 1>,
     .workspace = one_per_block,
     .grid_follows_n = true,
     .power_of_two_block = true},
    {.name = "halves",
     .idea = "removes bank conflicts: neighbours read neighbours",
     .run = sum_by_blocks<halves_kernel, 1>,
     .workspace = one_per_block,
     .grid_follows_n = true,
     .power_of_two_block = true},
    {.name = "first add on load",
     .idea = "removes the threads that only load",
     .run = sum_by_blocks<first_add_kernel, 2>,
     .workspace = one_per_block,
     .grid_follows_n = true,
     .power_of_two_block = true},
    {.name = "last warp shuffles",
     .idea = "removes the last five barriers",
     .run = sum_by_blocks<last_warp_kernel, 2>,
     .workspace = one_per_block,
     .grid_follows_n = true,
     .power_of_two_block = true},
    {.name = "warps shuffle",
     .idea = "removes all barriers but one",
     .run = sum_by_blocks<warps_kernel, 2>,
     .workspace = one_per_block,
     .grid_follows_n = true,
     .whole_warps = true},
};
