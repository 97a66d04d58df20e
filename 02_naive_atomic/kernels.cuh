/// @file
/// @brief Chapter 02: the histogram on a GPU, where all threads add to the same 256 bins.
#pragma once

#include <cstddef>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/problem/histogram.hpp"

/// @name Kernels
/// Each adds the counts of `n` bytes to 256 bins. Bytes and bins are in device memory, and the host has
/// cleared the bins. The bytes may begin at any address.
/// @{

/// Wrong on purpose. `++` is three steps: load, add, store. If two threads load the same count before either
/// has stored its sum, one of the two additions is lost.
/// @par Source
/// B, which shows this kernel as a warning.
__global__ void racy_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    // [02.1] Find this thread's element, if it has one, and add 1 to its bin with ++.
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) ++d_bins[d_data[i]];
    // [/02.1]
}

/// The race is fixed: `atomicAdd` loads, adds and stores in one step, as far as other atomics can tell.
/// @par Source
/// B: one thread per element.
__global__ void one_per_element_kernel(const unsigned char* d_data, std::size_t n,
                                       unsigned long long* d_bins) {
    // [02.2] Add 1 to the bin of this thread's element, if any, by an addition that no other can interrupt.
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_bins[d_data[i]], 1ull);
    // [/02.2]
}

/// Any grid for any n: a thread counts its first byte, then every byte that is a whole grid further on.
/// @par Source
/// A (jonny_super 2014) and D ("Optimizing histogram CUDA code"), both with 32-bit indices.
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    // [02.3] Count this thread's first element, and every one that is a whole grid further on.
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[d_data[i]], 1ull);
    // [/02.3]
}

/// @brief What `atomicAdd` does, built from compare-and-swap.
///
/// The sum is stored only if the memory still holds the value that it was computed from. Otherwise, the
/// loop tries again with the newer value. Under contention, most attempts are wasted.
/// @return The value before the addition.
/// @par Source
/// B, for types that have no `atomicAdd`.
__device__ inline unsigned long long atomic_add_by_cas(unsigned long long* address,
                                                       unsigned long long value) {
    // [02.4] Add with atomicCAS: retry until no other thread has changed the value in between.
    unsigned long long old = *address, assumed;
    do {
        assumed = old;
        old = atomicCAS(address, assumed, assumed + value);
    } while (old != assumed);
    return old;
    // [/02.4] return 0;
}

/// The grid-stride loop, with `atomic_add_by_cas` in place of `atomicAdd`.
__global__ void cas_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomic_add_by_cas(&d_bins[d_data[i]], 1ull);
}

/// @}

/// Threads per block, unless the caller chooses another number.
constexpr unsigned int kBlock = 256;

/// The default grid. D found that two blocks per SM are fastest.
inline unsigned int two_blocks_per_sm() { return 2 * multiprocessor_count(); }

/// @name Host functions
/// Each is a @ref Variant::Run, which describes the parameters and what it throws.
/// @{

/// One thread per byte; loses counts.
inline void histogram_racy(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                           unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    racy_kernel<<<blocks_for(n, block), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// One thread per byte.
inline void histogram_one_per_element(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                      unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    one_per_element_kernel<<<blocks_for(n, block), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Two blocks per SM, whatever `n` is.
inline void histogram_grid_stride(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                  unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    grid_stride_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// *grid-stride*, with additions built from compare-and-swap.
inline void histogram_cas(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                          unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    cas_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @}

/// The chapter's variants, in the order of the chapter.
inline const std::vector<Variant<Histogram>> kVariants = {
    {.name = "racy",
     .idea = "one thread per element, and a plain ++",
     .run = histogram_racy,
     .grid_follows_n = true,
     .wrong_because = "threads that load the same count both store it plus one"},
    {.name = "one per element",
     .idea = "one thread per element, with atomicAdd",
     .run = histogram_one_per_element,
     .grid_follows_n = true},
    {.name = "grid-stride",
     .idea = "any grid for any n: threads stride by the whole grid",
     .run = histogram_grid_stride},
    {.name = "CAS loop", .idea = "atomicAdd built from atomicCAS", .run = histogram_cas},
};
