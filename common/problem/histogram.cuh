/// @file
/// @brief The contract of Part I: what a histogram variant takes, gives and claims.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../cuda/device_buffer.cuh"
#include "../cuda/launch_shape.hpp"

constexpr unsigned int kBins = 256;  ///< one for each value of a byte

/// @brief Counts `n` bytes into bins; enqueues all of it, zeroing included, and checks its launches.
/// @param[in]  data   `n` bytes, at any alignment. In device memory, unless the variant is the CPU's.
/// @param[in]  n      May be 0.
/// @param[out] bins   The variant's number of bins, in the same memory; what they held does not matter.
///                    Behind them lies its workspace: 0 before the first call, and between calls its own.
/// @param[in]  shape  Blocks and threads; zeros leave the choice to the variant.
/// @throws CudaError, or std::invalid_argument for a shape that can't give the right result.
using HistogramFunction = void(const unsigned char* data, std::size_t n, unsigned long long* bins,
                               LaunchShape shape);

/// One step of the progression, with what it claims. Checks hold it to that, and to no more.
struct HistogramVariant {
    const char* name;
    const char* idea;  ///< one line: what is new
    HistogramFunction* run;
    bool on_cpu = false;                   ///< data and bins are in host memory
    unsigned int bins = kBins;             ///< a power of two; bin b holds the values v with v·bins/256 = b
    unsigned int workspace = 0;            ///< how many numbers it needs behind the bins
    unsigned int only_block = 0;           ///< if not 0: right for blocks of exactly so many threads
    unsigned int most_blocks = 0;          ///< if not 0: right for grids of up to so many blocks
    bool grid_follows_n = false;           ///< n and the block decide how many blocks; a shape can't
    unsigned long long largest_count = 0;  ///< if not 0: no bin can count further
    const char* wrong_because = nullptr;   ///< if not null: wrong on purpose, for this reason

    /// @return Why it can't have a shape; empty if it can.
    std::string refusal(const LaunchShape& shape) const {
        if (only_block != 0 && shape.block != 0 && shape.block != only_block)
            return "--block must be " + std::to_string(only_block);
        if (grid_follows_n && shape.grid != 0) return "--grid follows from --n and --block";
        if (most_blocks != 0 && shape.grid > most_blocks)
            return "--grid must be at most " + std::to_string(most_blocks);
        return "";
    }
};

/// @return Room in device memory for up to 256 bins and behind them the variant's workspace, all of it 0.
/// @throws CudaError.
inline DeviceBuffer<unsigned long long> device_bins(const HistogramVariant& variant) {
    DeviceBuffer<unsigned long long> d_bins(kBins + variant.workspace);
    CUDA_CHECK(cudaMemset(d_bins.data(), 0, d_bins.bytes()));
    return d_bins;
}

/// @brief The counts to compare with: the plainest loop there is, and no variant's code.
/// @return 256 counts.
inline std::vector<unsigned long long> reference_histogram(const unsigned char* data, std::size_t n) {
    std::vector<unsigned long long> bins(kBins, 0);
    for (std::size_t i = 0; i < n; ++i) ++bins[data[i]];
    return bins;
}

/// @brief What a variant should answer where 256 bins hold `reference`.
///
/// Neighbouring bins are added up for a variant with fewer bins.
inline std::vector<unsigned long long> expected_bins(const HistogramVariant& variant,
                                                     const std::vector<unsigned long long>& reference) {
    std::vector<unsigned long long> expected(variant.bins, 0);
    for (std::size_t value = 0; value < kBins; ++value)
        expected[value * variant.bins / kBins] += reference[value];
    return expected;
}
