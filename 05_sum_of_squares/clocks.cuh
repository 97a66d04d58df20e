/// @file
/// @brief Time measured inside the kernels, by the multiprocessors' clocks: `--clocks`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "../common/bench/bench.cuh"
#include "../common/bench/table.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "kernels.cuh"

/// @brief Cycles from the earliest start of a block to the latest end.
///
/// Each block reads the clock of its own multiprocessor, and those clocks need not agree. For one block
/// the difference is a time; for several it is one only as far as they do.
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

/// @brief Prints cycles, the seconds that they make at the device's clock rate, and GB/s, next to what
///        events say of the same launch and to the read ceiling.
/// @param[in] d_data `n` ints in device memory.
/// @return The program's exit status: 0.
inline int print_clocks(const int* d_data, std::size_t n, const Options& options, const Device& device) {
    using Kernel = void (*)(const int*, std::size_t, unsigned long long*, long long*);
    struct Step {
        const char* name;
        Kernel kernel;
        LaunchShape shape;
    };
    const std::vector<Step> steps = {{"one thread", chunked_kernel, {1, 1}},
                                     {"512 chunked", chunked_kernel, {1, kThreads}},
                                     {"512 interleaved", interleaved_kernel, {1, kThreads}},
                                     {"8 blocks of 64", blocks_kernel, {kArticleBlocks, kArticleThreads}},
                                     {"a fitting grid", blocks_kernel, fitting({})}};
    int kilohertz = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    const double bytes = static_cast<double>(n) * sizeof(int);

    std::vector<Job> jobs;
    std::vector<std::vector<long long>> clocks(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const auto& [name, kernel, shape] = steps[s];
        const auto d_partials =
            std::make_shared<DeviceBuffer<unsigned long long>>(std::size_t{shape.grid} * shape.block);
        const auto d_clocks = std::make_shared<DeviceBuffer<long long>>(2 * std::size_t{shape.grid});
        Job job;
        job.name = name;
        job.run = [=, kernel = kernel, shape = shape] {
            kernel<<<shape.grid, shape.block>>>(d_data, n, d_partials->data(), d_clocks->data());
            CUDA_CHECK(cudaGetLastError());
        };
        job.after = [&clocks, s, d_clocks] { clocks[s] = d_clocks->to_host(); };
        jobs.push_back(job);
    }
    Yardsticks yardsticks;
    if (!device.simulated)
        yardsticks.read_ceiling = [reader = std::make_shared<Reader>(
                                       reinterpret_cast<const unsigned char*>(d_data), n * sizeof(int))] {
            reader->read_once();
        };
    Row blank;
    blank.bytes = n * sizeof(int);
    const std::vector<Row> rows = measure_rows(jobs, yardsticks, blank, options, &device);

    std::printf("\n%zu ints, %s, whose clock runs at up to %.0f MHz\n", n, device.name.c_str(),
                kilohertz * 1e-3);
    if (device.simulated)
        std::printf("The simulator's clock counts nanoseconds: they say nothing about a GPU.\n");
    std::printf("\n%-16s %14s %14s %12s %8s   %12s %8s %9s\n", "", "cycles, first", "cycles of the",
                "at that", "", "", "", "% of");
    std::printf("%-16s %14s %14s %12s %8s   %12s %8s %9s\n", "variant", "to last", "longest block", "rate",
                "GB/s", "by events", "GB/s", "ceiling");
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const long long cycles = earliest_to_latest(clocks[s]);
        const double seconds = static_cast<double>(cycles) / (kilohertz * 1e3);
        std::printf("%-16s %14lld %14lld %12s %8s   %12s %8s %9s\n", steps[s].name, cycles,
                    longest_block(clocks[s]), cycles > 0 ? format_seconds(seconds).c_str() : "-",
                    format_ratio(device.simulated || cycles <= 0 ? NAN : bytes / seconds * 1e-9).c_str(),
                    format_time(rows[s]).c_str(), format_ratio(rows[s].gigabytes_per_second).c_str(),
                    format_ratio(rows[s].of_ceiling * 100).c_str());
    }
    return 0;
}
