/// @file
/// @brief Chapter 05: the sum of squares by more and more threads, whose partial sums the CPU adds up.
#pragma once

#include <cstddef>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/problem/sum_of_squares.cuh"

/// @name Kernels
/// Each takes `n` ints in device memory and stores one partial sum of squares per thread, modulo 2^64.
///
/// `#pragma unroll 1` keeps one load in flight per thread in all of them, so they differ only in which
/// thread loads what. Without it, nvcc unrolls the first loop 16 times, and the others not at all.
/// @{

/// @brief Each thread adds up a chunk of consecutive elements.
///
/// This order suits a CPU's threads. On a GPU, the lanes of a warp load at the same time, here from 32
/// sectors that are far apart.
/// @par Source
/// C (Caijinping 2014), as are the next two kernels; there the sums have 32 bits.
__global__ void contiguous_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    // [05.1] Add up the squares of this thread's chunk of consecutive elements.
    const std::size_t chunk = (n + blockDim.x - 1) / blockDim.x;
    const std::size_t first = threadIdx.x * chunk;
    unsigned long long sum = 0;
#pragma unroll 1
    for (std::size_t i = first; i < first + chunk && i < n; ++i) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
    // [/05.1]
}

/// Neighbouring threads load neighbouring elements: in each iteration a warp loads 128 consecutive bytes.
__global__ void strided_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    // [05.2] Add up the squares of this thread's first element and of every one a block's width further on.
    unsigned long long sum = 0;
#pragma unroll 1
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
    // [/05.2]
}

/// Neighbouring threads of the whole grid load neighbouring elements: the stride is the number of threads.
__global__ void blocks_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    // [05.3] Add up the squares of this thread's first element and of every one a whole grid further on.
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long sum = 0;
#pragma unroll 1
    for (std::size_t i = thread; i < n; i += stride) sum += square(d_data[i]);
    d_partials[thread] = sum;
    // [/05.3]
}

/// @}

/// The article's launches: 512 threads in one block, or in 8 blocks of 64.
constexpr unsigned int kThreads = 512, kArticleBlocks = 8, kArticleThreads = 64;

/// The launch that fits the device, by default: 2,048 threads per SM, as many as an H200 can hold at a time.
inline LaunchShape fitting(const LaunchShape& shape) {
    return {shape.grid_or(8 * multiprocessor_count()), shape.block_or(256)};
}

/// @name Host functions
/// Each is a @ref Variant::Run, which documents the parameters, the result and the exceptions.
/// @{

/// One block of one thread.
inline void sum_one_thread(const int* d_data, std::size_t n, unsigned long long* d_sum,
                           unsigned long long* d_partials, LaunchShape) {
    if (n == 0) return clear_sum(d_sum);
    contiguous_kernel<<<1, 1>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, 1, d_sum);
}

/// One block, with one chunk per thread.
inline void sum_contiguous(const int* d_data, std::size_t n, unsigned long long* d_sum,
                           unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kThreads);
    contiguous_kernel<<<1, block>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, block, d_sum);
}

/// One block, in which neighbouring threads load neighbouring elements.
inline void sum_strided(const int* d_data, std::size_t n, unsigned long long* d_sum,
                        unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kThreads);
    strided_kernel<<<1, block>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, block, d_sum);
}

/// 512 threads again, in 8 blocks of 64.
inline void sum_eight_blocks(const int* d_data, std::size_t n, unsigned long long* d_sum,
                             unsigned long long* d_partials, LaunchShape) {
    if (n == 0) return clear_sum(d_sum);
    blocks_kernel<<<kArticleBlocks, kArticleThreads>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, kArticleBlocks * kArticleThreads, d_sum);
}

/// Enough threads for the whole device: see `fitting`.
inline void sum_fitting(const int* d_data, std::size_t n, unsigned long long* d_sum,
                        unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const LaunchShape fits = fitting(shape);
    blocks_kernel<<<fits.grid, fits.block>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, std::size_t{fits.grid} * fits.block, d_sum);
}

/// @}

/// The chapter's variants, in the order of the chapter.
inline const std::vector<Variant<SumOfSquares>> kVariants = {
    {.name = "one thread",
     .idea = "one thread of the GPU",
     .run = sum_one_thread,
     .workspace = [](std::size_t, LaunchShape) { return std::size_t{1}; },
     .fixed_shape = true},
    {.name = "512 contiguous",
     .idea = "one block, a chunk of the data per thread",
     .run = sum_contiguous,
     .workspace = [](std::size_t, LaunchShape shape) { return std::size_t{shape.block_or(kThreads)}; },
     .most_blocks = 1},
    {.name = "512 strided",
     .idea = "one block, neighbours load neighbours",
     .run = sum_strided,
     .workspace = [](std::size_t, LaunchShape shape) { return std::size_t{shape.block_or(kThreads)}; },
     .most_blocks = 1},
    {.name = "8 blocks of 64",
     .idea = "the same 512 threads on 8 SMs",
     .run = sum_eight_blocks,
     .workspace = [](std::size_t, LaunchShape) { return std::size_t{kArticleBlocks * kArticleThreads}; },
     .fixed_shape = true},
    {.name = "a fitting grid",
     .idea = "as many threads as the device can hold",
     .run = sum_fitting,
     .workspace =
         [](std::size_t, LaunchShape shape) {
             const LaunchShape fits = fitting(shape);
             return std::size_t{fits.grid} * fits.block;
         }},
};
