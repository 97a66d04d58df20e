/// @file
/// @brief Chapter 02: the histogram on a GPU, with all threads adding to the same 256 bins.
#pragma once

#include <cstddef>
#include <vector>

#include "../common/cuda/device.cuh"
#include "../common/cuda/error.cuh"
#include "../common/problem/histogram.cuh"

/// @name Kernels
/// Each adds the counts of `n` bytes to 256 bins, or counters of another type; both are in device memory,
/// and the bins are cleared before. The bytes may lie at any alignment.
/// @{

/// Wrong on purpose. `++` is three steps: load, add, store. Between them another thread may load the
/// same count, and one of the two additions is lost.
/// @par Source
/// B, which shows it to warn of it.
__global__ void racy_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) ++d_bins[d_data[i]];
}

/// The cure: the memory itself adds, in one step that nothing can come between.
/// @par Source
/// B: a thread for each element.
__global__ void one_per_element_kernel(const unsigned char* d_data, std::size_t n,
                                       unsigned long long* d_bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_bins[d_data[i]], 1ull);
}

/// Any grid for any n: each thread takes every element that is a whole grid further.
/// @par Source
/// A (jonny_super 2014) and D ("Optimizing histogram CUDA code"), with indices of 32 bits.
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[d_data[i]], 1ull);
}

/// @brief What `atomicAdd` does, made from compare-and-swap.
///
/// Stores the sum only if the old value is still there, and else starts again from the newer one.
/// Under contention most attempts are in vain.
/// @return The value before the addition.
/// @par Source
/// B, for types that have no `atomicAdd`.
__device__ inline unsigned long long atomic_add_by_cas(unsigned long long* address,
                                                       unsigned long long value) {
    unsigned long long old = *address, assumed;
    do {
        assumed = old;
        old = atomicCAS(address, assumed, assumed + value);
    } while (old != assumed);
    return old;
}

/// The grid-stride loop with that addition.
__global__ void cas_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomic_add_by_cas(&d_bins[d_data[i]], 1ull);
}

/// The same loop with counters of another type: which types have a fast `atomicAdd`?
template <typename Counter>
__global__ void typed_kernel(const unsigned char* d_data, std::size_t n, Counter* d_counters) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_counters[d_data[i]], Counter{1});
}

/// Turns counters into bins of 64 bits in the same memory, by one block of `kBins` threads: all
/// read before any writes, since a wider bin lies over its neighbours' counters.
template <typename Counter>
__global__ void widen_kernel(unsigned long long* d_bins) {
    const Counter count = reinterpret_cast<const Counter*>(d_bins)[threadIdx.x];
    __syncthreads();
    d_bins[threadIdx.x] = static_cast<unsigned long long>(count);
}

/// @}

/// Threads a block, unless the caller says otherwise.
constexpr unsigned int kBlock = 256;

/// D found the best grid to be twice as many blocks as there are multiprocessors: the default here.
inline unsigned int two_blocks_a_multiprocessor() { return 2 * multiprocessor_count(); }

/// @name Host functions
/// Each is a @ref HistogramFunction, which says what it takes, gives and throws.
/// @{

/// A thread for each byte; loses counts.
inline void histogram_racy(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                           LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    racy_kernel<<<blocks_for(n, block), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// A thread for each byte.
inline void histogram_one_per_element(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                      LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    one_per_element_kernel<<<blocks_for(n, block), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Two blocks a multiprocessor, whatever `n` is.
inline void histogram_grid_stride(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                  LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_a_multiprocessor());
    grid_stride_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// The same with additions made from compare-and-swap.
inline void histogram_cas(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                          LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_a_multiprocessor());
    cas_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Counts in counters of type `Counter`, which lie where the bins will be.
template <typename Counter>
void histogram_typed(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                     LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_a_multiprocessor());
    typed_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, reinterpret_cast<Counter*>(d_bins));
    CUDA_CHECK(cudaGetLastError());
    widen_kernel<Counter><<<1, kBins>>>(d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @}

/// The chapter's variants, in the order of the story.
inline const std::vector<HistogramVariant>& variants() {
    static const std::vector<HistogramVariant> all = [] {
        HistogramVariant racy{"racy", "one thread per element, and a plain ++", histogram_racy};
        racy.grid_follows_n = true;
        racy.wrong_because = "threads that load the same count both store it plus one";
        HistogramVariant one{"one per element", "the same with atomicAdd", histogram_one_per_element};
        one.grid_follows_n = true;
        const HistogramVariant stride{"grid-stride", "any grid for any n: threads stride by the whole grid",
                                      histogram_grid_stride};
        const HistogramVariant cas{"CAS loop", "atomicAdd made from atomicCAS", histogram_cas};
        HistogramVariant as_int{"int counters", "atomicAdd on int", histogram_typed<int>};
        as_int.largest_count = 0x7fffffffull;
        HistogramVariant as_unsigned{"unsigned counters", "atomicAdd on unsigned int",
                                     histogram_typed<unsigned int>};
        as_unsigned.largest_count = 0xffffffffull;
        HistogramVariant as_float{"float counters", "atomicAdd on float, which counts to 2^24",
                                  histogram_typed<float>};
        as_float.largest_count = 1ull << 24;
        HistogramVariant as_double{"double counters", "atomicAdd on double, which counts to 2^53",
                                   histogram_typed<double>};
        as_double.largest_count = 1ull << 53;
        return std::vector<HistogramVariant>{racy,   one,         stride,   cas,
                                             as_int, as_unsigned, as_float, as_double};
    }();
    return all;
}
