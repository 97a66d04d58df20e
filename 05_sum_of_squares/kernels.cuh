/// @file
/// @brief Chapter 05: the sum of squares by more and more threads; the CPU adds what they leave.
#pragma once

#include <cstddef>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/problem/sum_of_squares.cuh"

/// Notes when the block's thread 0 began or ended, if someone asked, by the clock of the multiprocessor
/// that the block runs on. Other warps of the block may end later; the article measures in this way, too.
__device__ inline void note_clock(long long* d_clocks, unsigned int place) {
    if (d_clocks != nullptr && threadIdx.x == 0) d_clocks[place] = clock64();
}

/// @name Kernels
/// Each takes `n` ints in device memory, and leaves a partial sum of squares for each thread, modulo 2^64.
/// @{

/// @brief Each thread adds up a chunk of consecutive elements.
///
/// What a CPU's threads would do. Of a GPU's, those of a warp read at the same time, and here they read
/// from 32 places that are far apart.
/// @param[out] d_partials One sum for each thread.
/// @param[out] d_clocks   Start and end of each block, in cycles: all starts first. Or null.
/// @par Source
/// C (Caijinping 2014), as are the next two; there with sums of 32 bits.
__global__ void chunked_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials,
                               long long* d_clocks) {
    note_clock(d_clocks, 0);
    const std::size_t chunk = (n + blockDim.x - 1) / blockDim.x;
    const std::size_t first = threadIdx.x * chunk;
    unsigned long long sum = 0;
    for (std::size_t i = first; i < first + chunk && i < n; ++i) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
    note_clock(d_clocks, 1);
}

/// Neighbouring threads take neighbouring elements: a warp reads 128 bytes in a row.
__global__ void interleaved_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials,
                                   long long* d_clocks) {
    note_clock(d_clocks, 0);
    unsigned long long sum = 0;
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
    note_clock(d_clocks, 1);
}

/// The same by many blocks: the stride is the whole grid.
__global__ void blocks_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials,
                              long long* d_clocks) {
    note_clock(d_clocks, blockIdx.x);
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long sum = 0;
    for (std::size_t i = thread; i < n; i += stride) sum += square(d_data[i]);
    d_partials[thread] = sum;
    note_clock(d_clocks, gridDim.x + blockIdx.x);
}

/// @}

/// The article's launches: 512 threads in one block, and as 8 blocks of 64.
constexpr unsigned int kThreads = 512, kArticleBlocks = 8, kArticleThreads = 64;

/// The device's own launch: as many threads as it can hold at a time.
inline LaunchShape fitting(const LaunchShape& shape) {
    return {shape.grid_or(8 * multiprocessor_count()), shape.block_or(256)};
}

/// @name Host functions
/// Each is a @ref SumFunction, which says what it takes, gives and throws.
/// @{

/// One block of one thread.
inline void sum_one_thread(const int* d_data, std::size_t n, unsigned long long* d_sum,
                           unsigned long long* d_partials, LaunchShape) {
    if (n == 0) return clear_sum(d_sum);
    chunked_kernel<<<1, 1>>>(d_data, n, d_partials, nullptr);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, 1, d_sum);
}

/// One block of 512 threads, a chunk each.
inline void sum_chunked(const int* d_data, std::size_t n, unsigned long long* d_sum,
                        unsigned long long* d_partials, LaunchShape) {
    if (n == 0) return clear_sum(d_sum);
    chunked_kernel<<<1, kThreads>>>(d_data, n, d_partials, nullptr);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, kThreads, d_sum);
}

/// One block of 512 threads, side by side.
inline void sum_interleaved(const int* d_data, std::size_t n, unsigned long long* d_sum,
                            unsigned long long* d_partials, LaunchShape) {
    if (n == 0) return clear_sum(d_sum);
    interleaved_kernel<<<1, kThreads>>>(d_data, n, d_partials, nullptr);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, kThreads, d_sum);
}

/// The same threads as 8 blocks of 64.
inline void sum_eight_blocks(const int* d_data, std::size_t n, unsigned long long* d_sum,
                             unsigned long long* d_partials, LaunchShape) {
    if (n == 0) return clear_sum(d_sum);
    blocks_kernel<<<kArticleBlocks, kArticleThreads>>>(d_data, n, d_partials, nullptr);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, kArticleBlocks * kArticleThreads, d_sum);
}

/// As many threads as the device can hold.
inline void sum_fitting(const int* d_data, std::size_t n, unsigned long long* d_sum,
                        unsigned long long* d_partials, LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const LaunchShape fits = fitting(shape);
    blocks_kernel<<<fits.grid, fits.block>>>(d_data, n, d_partials, nullptr);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, std::size_t{fits.grid} * fits.block, d_sum);
}

/// @}

/// The chapter's variants, in the order of the story.
inline const std::vector<SumVariant>& variants() {
    static const std::vector<SumVariant> all = [] {
        std::vector<SumVariant> list = {
            {"one thread", "a GPU's one thread", sum_one_thread},
            {"512 chunked", "512 threads, a chunk of the data each", sum_chunked},
            {"512 interleaved", "512 threads, neighbours side by side", sum_interleaved},
            {"8 blocks of 64", "the same 512 threads on 8 multiprocessors", sum_eight_blocks},
            {"a fitting grid", "as many threads as the device can hold", sum_fitting},
        };
        for (SumVariant& variant : list) {
            variant.fixed_shape = true;
            variant.workspace = [](std::size_t, LaunchShape) { return std::size_t{kThreads}; };
        }
        list.back().fixed_shape = false;
        list.back().workspace = [](std::size_t, LaunchShape shape) {
            const LaunchShape fits = fitting(shape);
            return std::size_t{fits.grid} * fits.block;
        };
        return list;
    }();
    return all;
}
