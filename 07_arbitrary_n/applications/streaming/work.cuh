/// @file
/// @brief The work on each chunk: the kernels of *loads in flight* (04) and *shuffles* (07), and a checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../04_coarsened/kernels.cuh"
#include "../../../common/problem/histogram.hpp"
#include "../../kernels.cuh"
#include "../input/source.hpp"

/// @brief Adds the checksum of `n` bytes to `d_sum`: Σ (2i + 1) · word i modulo 2^64.
///
/// A word has 8 bytes, the first one in its lowest bits; missing bytes of the last word are 0. The factor is
/// odd, so that the sum changes with any one word. It grows, so that the sum depends on the order of words.
/// @param[in] d_data     The bytes, at an address that is a multiple of 8.
/// @param[in] first_word The first word's number in the whole stream.
__global__ void checksum_kernel(const unsigned char* d_data, std::size_t n, unsigned long long first_word,
                                unsigned long long* d_sum) {
    const std::size_t whole = n / 8, stride = std::size_t{gridDim.x} * blockDim.x;
    const auto* const d_words = reinterpret_cast<const unsigned long long*>(d_data);
    unsigned long long sum = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i * 8 < n; i += stride) {
        unsigned long long word = 0;
        if (i < whole) word = d_words[i];
        for (std::size_t k = i < whole ? n : i * 8; k < n; ++k)
            word |= static_cast<unsigned long long>(d_data[k]) << k % 8 * 8;
        sum += (2 * (first_word + i) + 1) * word;
    }
    sum = block_sum_by_shuffles(sum);
    if (threadIdx.x == 0) atomicAdd(d_sum, sum);
}

/// @brief Something that is computed from a stream.
///
/// The kernels of `kCountBytes` and `kSumSquares` add to 64-bit results by atomic additions, so that chunks
/// may come in any order, and several at a time. Chapter 04's *one launch*, which saves clearing the bins
/// before each launch, would gain nothing: here, bins are cleared only once.
struct Work {
    std::string name;           ///< the name in titles
    std::string problem;        ///< the name in rows of results
    std::size_t element_bytes;  ///< the data are a multiple of this
    std::size_t results;        ///< how many numbers are computed
    /// Launches a kernel that adds to the results what `n` bytes contribute; n > 0.
    void (*launch)(const unsigned char* d_data, std::size_t n, unsigned long long* d_results,
                   cudaStream_t stream);
};

/// Adds the counts of `n` bytes to 256 bins. @throws CudaError.
inline void add_counts(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                       cudaStream_t stream) {
    const unsigned int block = coarsened::kWideBlock, grid = coarsened::copies_grid(n, block);
    require_32_bit_counters(n, grid, block * 2 * sizeof(uint4));
    coarsened::in_flight_kernel<true><<<grid, block, 0, stream>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Adds the squares of the ints in `n` bytes. @throws CudaError.
inline void add_squares(const unsigned char* d_data, std::size_t n, unsigned long long* d_sum,
                        cudaStream_t stream) {
    const std::size_t count = n / sizeof(int);
    const unsigned int grid = fitting_grid(count, {0, kWideBlock}, 4 * kLoads);
    shuffles_kernel<true>
        <<<grid, kWideBlock, 0, stream>>>(reinterpret_cast<const int*>(d_data), count, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

inline const Work kCountBytes{"Histogram", Histogram::kName, 1, kBins, add_counts};
inline const Work kSumSquares{"Sum of squares", SumOfSquares::kName, sizeof(int), 1, add_squares};

/// @brief Adds the checksum of `n` bytes, whose first one is byte `first` of all data.
/// @throws CudaError.
inline void add_checksum(const unsigned char* d_data, std::size_t n, std::uint64_t first,
                         unsigned long long* d_sum, cudaStream_t stream) {
    const unsigned int grid = fitting_grid(n / 8 + 1, {0, kWideBlock}, kLoads);
    checksum_kernel<<<grid, kWideBlock, 0, stream>>>(d_data, n, first / 8, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// @brief Adds a chunk in device memory to the results, and to the checksum, which follows them.
/// @throws CudaError.
inline void add_chunk(const Work& work, const unsigned char* d_data, const Chunk& chunk,
                      unsigned long long* d_results, cudaStream_t stream) {
    work.launch(d_data, chunk.size, d_results, stream);
    add_checksum(d_data, chunk.size, chunk.first, d_results + work.results, stream);
}
