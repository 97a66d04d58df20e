/// @file
/// @brief Time measured inside the kernels, by the clocks of the SMs: `--clocks`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "../common/bench/measure.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "kernels.cuh"

/// @brief Records when the block's thread 0 starts or ends, by the clock of the SM that the block runs on.
///
/// Other warps of the block may finish later. The article also measures in this way.
/// @param[out] d_clocks Start and end of each block, in cycles: all starts first.
__device__ inline void record_clock(long long* d_clocks, unsigned int place) {
    if (threadIdx.x == 0) d_clocks[place] = clock64();
}

/// @name The chapter's kernels with clocks
/// @{

/// @copydoc contiguous_kernel
__global__ void timed_contiguous_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials,
                                        long long* d_clocks) {
    record_clock(d_clocks, 0);
    const std::size_t chunk = (n + blockDim.x - 1) / blockDim.x;
    const std::size_t first = threadIdx.x * chunk;
    unsigned long long sum = 0;
#pragma unroll 1
    for (std::size_t i = first; i < first + chunk && i < n; ++i) sum += square(d_data[i]);
    d_partials[threadIdx.x] = sum;
    record_clock(d_clocks, 1);
}

/// @brief The loop of `blocks_kernel`. With one block, it is also that of `strided_kernel`.
__global__ void timed_blocks_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials,
                                    long long* d_clocks) {
    record_clock(d_clocks, blockIdx.x);
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long sum = 0;
#pragma unroll 1
    for (std::size_t i = thread; i < n; i += stride) sum += square(d_data[i]);
    d_partials[thread] = sum;
    record_clock(d_clocks, gridDim.x + blockIdx.x);
}

/// @}

/// @brief Cycles from the earliest start of a block to the latest end.
///
/// Each block reads the clock of its own SM, and these clocks need not agree. For one block the difference
/// is a time; for several blocks it is a time only if the clocks agree.
/// @param[in] clocks The blocks' starts, then the blocks' ends.
/// @par Source
/// C (Caijinping 2014) measures 8 blocks in this way.
inline long long earliest_to_latest(const std::vector<long long>& clocks) {
    const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
    return *std::max_element(middle, clocks.end()) - *std::min_element(clocks.begin(), middle);
}

/// The longest time that any one block took, by its own clock.
inline long long longest_block(const std::vector<long long>& clocks) {
    const std::size_t blocks = clocks.size() / 2;
    long long longest = 0;
    for (std::size_t b = 0; b < blocks; ++b) longest = std::max(longest, clocks[blocks + b] - clocks[b]);
    return longest;
}

/// @brief Prints cycles, the seconds that they take at the device's clock rate, and GB/s, next to the time of
///        the same launch by events and to the read ceiling.
/// @param[in] d_data `n` ints in device memory.
/// @return The program's exit status: 0.
inline int print_clocks(const int* d_data, std::size_t n, const Options& options, const Device& device) {
    using Kernel = void (*)(const int*, std::size_t, unsigned long long*, long long*);
    struct Step {
        const char* name;
        Kernel kernel;
        LaunchShape shape;
    };
    const std::vector<Step> steps = {
        {"one thread", timed_contiguous_kernel, {1, 1}},
        {"512 contiguous", timed_contiguous_kernel, {1, kThreads}},
        {"512 strided", timed_blocks_kernel, {1, kThreads}},
        {"8 blocks of 64", timed_blocks_kernel, {kArticleBlocks, kArticleThreads}},
        {"a fitting grid", timed_blocks_kernel, fitting({})}};
    int kilohertz = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    const double bytes = static_cast<double>(n) * sizeof(int);

    std::vector<Job> jobs;
    std::vector<std::vector<long long>> clocks(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const LaunchShape shape = steps[s].shape;
        const auto d_partials =
            std::make_shared<DeviceBuffer<unsigned long long>>(std::size_t{shape.grid} * shape.block);
        const auto d_clocks = std::make_shared<DeviceBuffer<long long>>(2 * std::size_t{shape.grid});
        jobs.push_back({.name = steps[s].name,
                        .work =
                            [=, kernel = steps[s].kernel] {
                                kernel<<<shape.grid, shape.block>>>(d_data, n, d_partials->data(),
                                                                    d_clocks->data());
                                CUDA_CHECK(cudaGetLastError());
                            },
                        .verify =
                            [&clocks, s, d_clocks] {
                                clocks[s] = d_clocks->to_host();
                                return Verdict{};
                            }});
    }
    for (const Job& job : read_ceiling_jobs(d_data, n * sizeof(int), &device)) jobs.push_back(job);
    const std::vector<Row> rows = measure(
        jobs,
        {.chapter = "05_sum_of_squares", .problem = SumOfSquares::kName, .n = n, .bytes = n * sizeof(int)},
        options, &device);

    std::printf("\n%zu ints, %s, whose clock runs at up to %.0f MHz\n", n, device.name.c_str(),
                kilohertz * 1e-3);
    if (device.simulated)
        std::printf("The simulator's clock counts nanoseconds: they say nothing about a GPU.\n");
    std::printf("\n%-16s %14s %14s %10s %8s   %12s %8s %9s\n", "", "cycles, first", "cycles of the",
                "at that", "", "", "", "% of");
    std::printf("%-16s %14s %14s %10s %8s   %12s %8s %9s\n", "variant", "to last", "longest block", "rate",
                "GB/s", "by events", "GB/s", "ceiling");
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const long long cycles = earliest_to_latest(clocks[s]);
        const double seconds = static_cast<double>(cycles) / (kilohertz * 1e3);
        std::printf("%-16s %14lld %14lld %10s %8s   %12s %8s %9s\n", steps[s].name, cycles,
                    longest_block(clocks[s]), cycles > 0 ? format_seconds(seconds).c_str() : "-",
                    format_ratio(device.simulated || cycles <= 0 ? NAN : bytes / seconds * 1e-9).c_str(),
                    format_time(rows[s]).c_str(), format_ratio(rows[s].gigabytes_per_second).c_str(),
                    format_ratio(rows[s].of_ceiling * 100).c_str());
    }
    return 0;
}
