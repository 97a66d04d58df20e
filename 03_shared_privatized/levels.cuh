/// @file
/// @brief Privatization at the level that the number of bins allows: registers, shared or global memory.
///
/// The elements are 32-bit keys. Of m bins, bin b counts the keys k with k·m / 2^32 = b, rounded down.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../common/bench/measure.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "kernels.cuh"

/// Where the counters are. Each level has room for more bins than the one before.
/// @par Source
/// B, on privatization.
enum class Level { registers, shared, global };

/// The name of a level in a table.
inline const char* name_of(Level level) {
    return level == Level::registers ? "registers"
           : level == Level::shared  ? "shared memory"
                                     : "global memory";
}

/// The bin of a key: bins are ranges of keys in ascending order, found without a division.
__host__ __device__ inline unsigned int bin_of(unsigned int key, unsigned int bins) {
    return static_cast<unsigned int>(static_cast<std::uint64_t>(key) * bins >> 32);
}

/// Up to `kFewBins` bins: each thread counts in its registers.
__global__ void register_level_kernel(const unsigned int* d_keys, std::size_t n, unsigned int bins,
                                      unsigned long long* d_bins) {
    unsigned int own[kFewBins] = {};
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned int bin = bin_of(d_keys[i], bins);
#pragma unroll
        for (unsigned int b = 0; b < kFewBins; ++b) own[b] += bin == b;
    }

    __shared__ unsigned int counts[kFewBins];
    for (unsigned int b = threadIdx.x; b < kFewBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned int b = 0; b < kFewBins; ++b)
        if (own[b] != 0) atomicAdd(&counts[b], own[b]);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// As many bins as a block's shared memory holds: `bins` counters of dynamic shared memory.
__global__ void shared_level_kernel(const unsigned int* d_keys, std::size_t n, unsigned int bins,
                                    unsigned long long* d_bins) {
    extern __shared__ unsigned int counts[];
    for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[bin_of(d_keys[i], bins)], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x)
        if (counts[b] != 0) atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// Any number of bins: all threads share one histogram. Contention is low if there are many bins.
__global__ void global_level_kernel(const unsigned int* d_keys, std::size_t n, unsigned int bins,
                                    unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[bin_of(d_keys[i], bins)], 1ull);
}

/// @return How many counters of 32 bits fit into the shared memory of a block that requests all of it.
inline unsigned int most_shared_bins() {
    return static_cast<unsigned int>(most_shared_bytes() / sizeof(unsigned int));
}

/// @return The first level with room for `bins` bins. `--levels` measures whether it is the fastest.
inline Level level_for(unsigned int bins) {
    if (bins <= kFewBins) return Level::registers;
    return bins <= most_shared_bins() ? Level::shared : Level::global;
}

/// @brief Counts `n` keys into any number of bins, private at the given level.
/// @param[in]  d_keys Device memory, `n` keys.
/// @param[in]  bins   1 or more.
/// @param[out] d_bins Device memory, `bins` counts.
/// @throws std::invalid_argument if `bins` is 0, if the level has no room for that many bins, or if a block
///         could count past 32 bits; CudaError.
inline void histogram_at_level(Level level, const unsigned int* d_keys, std::size_t n, unsigned int bins,
                               unsigned long long* d_bins, LaunchShape shape = {}) {
    if (bins == 0 || level < level_for(bins))
        throw std::invalid_argument(std::to_string(bins) + " bins do not fit into " + name_of(level));
    CUDA_CHECK(cudaMemset(d_bins, 0, bins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(level == Level::shared ? 1024 : kBlock);
    std::size_t shared_bytes = 0;
    int blocks_per_sm = 8;
    if (level == Level::shared) {
        // A block gets more than 48 KiB only if the kernel requests it beforehand.
        shared_bytes = bins * sizeof(unsigned int);
        CUDA_CHECK(cudaFuncSetAttribute(shared_level_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes)));
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, shared_level_kernel,
                                                                 static_cast<int>(block), shared_bytes));
    }
    const unsigned int grid =
        shape.grid_or(static_cast<unsigned int>(blocks_per_sm) * multiprocessor_count());
    if (level != Level::global) require_32_bit_counters(n, grid, block);
    switch (level) {
        case Level::registers: register_level_kernel<<<grid, block>>>(d_keys, n, bins, d_bins); break;
        case Level::shared:
            shared_level_kernel<<<grid, block, shared_bytes>>>(d_keys, n, bins, d_bins);
            break;
        case Level::global: global_level_kernel<<<grid, block>>>(d_keys, n, bins, d_bins); break;
    }
    CUDA_CHECK(cudaGetLastError());
}

/// The plain loop over `n` keys, for comparison.
/// @return `bins` counts.
inline Bins reference_keys(const unsigned int* keys, std::size_t n, unsigned int bins) {
    Bins counts(bins, 0);
    for (std::size_t i = 0; i < n; ++i) ++counts[bin_of(keys[i], bins)];
    return counts;
}

/// @brief Times every level that has room, from 8 bins to a million: `--levels`.
/// @param[in] data The keys, four bytes each; bytes that are left over are not counted.
/// @return The program's exit status: 1 if a result is wrong.
inline int print_levels(const std::vector<unsigned char>& data, const Options& options,
                        const Device& device) {
    const std::size_t n = data.size() / sizeof(unsigned int);
    std::vector<unsigned int> keys(n);
    std::copy(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(n * sizeof(unsigned int)),
              reinterpret_cast<unsigned char*>(keys.data()));
    const DeviceBuffer<unsigned int> d_keys(n);
    CUDA_CHECK(cudaMemcpy(d_keys.data(), keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    std::printf("\n%zu keys of 32 bits (%s), %s\n", n, options.source().c_str(), device.name.c_str());
    std::printf("A block holds %u counters in shared memory.\n\n", most_shared_bins());
    std::printf("%8s  %-14s  %14s %14s %14s\n", "bins", "level", "registers", "shared memory",
                "global memory");
    int status = 0;
    for (const unsigned int bins : {8u, 64u, 256u, 1024u, 4096u, 16384u, 32768u, 65536u, 1048576u}) {
        const Bins expected = reference_keys(keys.data(), n, bins);
        const DeviceBuffer<unsigned long long> d_bins(bins);
        std::vector<Job> jobs;
        for (const Level level : {Level::registers, Level::shared, Level::global}) {
            if (level < level_for(bins)) continue;
            jobs.push_back(
                {.name = std::to_string(bins) + " bins, " + name_of(level),
                 .work =
                     [&, level] {
                         histogram_at_level(level, d_keys.data(), n, bins, d_bins.data(), options.shape);
                     },
                 .verify = [&] { return verdict_of(verify_one_by_one(d_bins.to_host(), expected)); },
                 .shape = options.shape});
        }
        const std::vector<Row> rows = measure(
            jobs,
            {.chapter = "03_shared_privatized", .problem = Histogram::kName, .n = n, .bytes = d_keys.bytes()},
            options, &device);
        std::printf("%8u  %-14s ", bins, name_of(level_for(bins)));
        for (std::size_t empty = rows.size(); empty < 3; ++empty) std::printf(" %14s", "-");
        for (const Row& row : rows)
            std::printf(" %14s", row.verdict.is_wrong() ? "WRONG" : format_time(row).c_str());
        std::printf("\n");
        status = std::max(status, status_of(rows));
    }
    return status;
}
