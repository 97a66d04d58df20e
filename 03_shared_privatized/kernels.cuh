/// @file
/// @brief Chapter 03: private histograms. Each block counts in shared memory and merges once.
#pragma once

#include <cstddef>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/problem/histogram.hpp"

/// Threads per block, unless the caller chooses another number.
constexpr unsigned int kBlock = 256;

/// Blocks, unless the caller chooses another number: article D's optimum, two per SM.
inline unsigned int two_blocks_per_sm() { return 2 * multiprocessor_count(); }

/// @name Kernels
/// Each adds the counts of `n` bytes to 256 or `kFewBins` bins. Bytes and bins are in device memory, and the
/// host has cleared the bins. The bytes may have any alignment.
/// @{

/// @brief The article's kernel: right only for blocks of 256 threads, one per bin.
///
/// The counters have 32 bits; `require_32_bit_counters` makes sure that none of them overflows.
/// @par Source
/// A (jonny_super 2014), B and D ("Optimizing histogram CUDA code").
__global__ void article_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    // [03.1] Clear this thread's counter, count a share of the bytes, add this thread's counter to its bin.
    counts[threadIdx.x] = 0;
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);

    __syncthreads();
    atomicAdd(&d_bins[threadIdx.x], static_cast<unsigned long long>(counts[threadIdx.x]));
    // [/03.1]
}

/// For any block size: the threads of a block stride over the bins.
__global__ void any_block_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    // [03.2] Clear the counters, count a share of the bytes, and merge the counters, for any block size.
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
    // [/03.2]
}

/// @brief A histogram per warp: the warps of a block do not contend with each other.
///
/// Dynamic shared memory: `kBins` counters per warp of the block.
__global__ void warp_private_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    extern __shared__ unsigned int counts[];
    // [03.3] Clear all copies, count in the copy of this thread's warp, add up the copies of each bin.
    const unsigned int warps = (blockDim.x + warpSize - 1) / warpSize;
    unsigned int* const own = &counts[threadIdx.x / warpSize * kBins];
    for (unsigned int k = threadIdx.x; k < warps * kBins; k += blockDim.x) counts[k] = 0;
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&own[d_data[i]], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int w = 0; w < warps; ++w) sum += counts[w * kBins + b];
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum));
    }
    // [/03.3]
}

/// How many bins the kernels with a histogram per thread have: few enough for registers.
constexpr unsigned int kFewBins = 8;

/// @brief A histogram per thread, in registers: eight bins for the three highest bits of a byte.
///
/// Registers have no addresses, so a byte can't index its counter. Instead, each byte is compared with every
/// bin, in a loop that the compiler unrolls.
/// @par Source
/// B, whose eight bins are `data % 8`, a different histogram.
__global__ void register_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    unsigned int counts[kFewBins] = {};
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned int bin = d_data[i] / (kBins / kFewBins);
#pragma unroll
        for (unsigned int b = 0; b < kFewBins; ++b) counts[b] += bin == b;
    }

    __shared__ unsigned int block_counts[kFewBins];
    for (unsigned int b = threadIdx.x; b < kFewBins; b += blockDim.x) block_counts[b] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned int b = 0; b < kFewBins; ++b) atomicAdd(&block_counts[b], counts[b]);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kFewBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(block_counts[b]));
}

/// Article B's form. An array with an index that depends on data cannot stay in registers: the compiler puts
/// it into local memory, a part of device memory that is private to a thread.
__global__ void indexed_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    unsigned int counts[kFewBins] = {};
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        ++counts[d_data[i] / (kBins / kFewBins)];

    for (unsigned int b = 0; b < kFewBins; ++b)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// @}

/// @name Host functions
/// Each is a @ref Variant::Run, which documents the parameters, the results and the exceptions.
/// @{

/// Only for blocks of 256 threads.
inline void histogram_article(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                              unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    require_32_bit_counters(n, grid, kBins);
    article_kernel<<<grid, shape.block_or(kBins)>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Blocks of any size.
inline void histogram_any_block(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    const unsigned int block = shape.block_or(kBlock);
    require_32_bit_counters(n, grid, block);
    any_block_kernel<<<grid, block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// A histogram per warp: 1 KiB of shared memory each.
inline void histogram_warp_private(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                   unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    const unsigned int block = shape.block_or(kBlock);
    require_32_bit_counters(n, grid, block);
    const std::size_t shared_bytes = (block + 31) / 32 * kBins * sizeof(unsigned int);
    warp_private_kernel<<<grid, block, shared_bytes>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// `kFewBins` bins per thread, in registers.
inline void histogram_registers(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kFewBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    const unsigned int block = shape.block_or(kBlock);
    require_32_bit_counters(n, grid, block);
    register_kernel<<<grid, block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// `kFewBins` bins per thread, in local memory.
inline void histogram_indexed(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                              unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kFewBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    const unsigned int block = shape.block_or(kBlock);
    require_32_bit_counters(n, grid, block);
    indexed_kernel<<<grid, block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @}

/// The chapter's variants, in the order of the chapter.
inline const std::vector<Variant<Histogram>> kVariants = {
    {.name = "article",
     .idea = "a histogram per block, for 256 threads exactly",
     .run = histogram_article,
     .only_block = kBins},
    {.name = "any block",
     .idea = "a histogram per block, for any number of threads",
     .run = histogram_any_block},
    {.name = "a copy per warp",
     .idea = "a histogram for each warp of the block",
     .run = histogram_warp_private},
    {.name = "8 bins, registers",
     .idea = "a histogram per thread, every bin compared",
     .run = histogram_registers,
     .results = kFewBins},
    {.name = "8 bins, indexed",
     .idea = "the article's form, which is not in registers",
     .run = histogram_indexed,
     .results = kFewBins},
};
