/// @file
/// @brief From timings to rows of a table: variants side by side with what they are compared with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "measure.cuh"
#include "options.hpp"
#include "table.cuh"

/// What the variants are compared with. A function that is empty is not measured.
struct Yardsticks {
    std::function<void()> cpu_sequential, cpu_all_cores;  ///< on the CPU
    std::function<void()> read_ceiling, cub, cub_64_bit;  ///< on a GPU; the last with 64-bit counters
};

/// @param[in] n            Elements, which are so many `bytes`.
/// @param[in] copy_seconds What copying the input to the device took, if it was copied.
/// @return What all rows of a run have in common.
inline Row common_row(const std::string& chapter, const Options& options, std::size_t n, std::size_t bytes,
                      double copy_seconds = NAN) {
    Row row;
    row.chapter = chapter;
    row.input = options.file.empty() ? options.input : options.file;
    row.n = n;
    row.bytes = bytes;
    row.copy_seconds = copy_seconds;
    return row;
}

/// @brief Measures variants and yardsticks in the same rounds.
/// @param[in] blank  What all rows have in common.
/// @param[in] device Null for a program that stays on the CPU.
/// @return A row for each variant, then one for each yardstick, with times and ratios.
inline std::vector<Row> measure_rows(const std::vector<Job>& variants, const Yardsticks& yardsticks,
                                     const Row& blank, const Options& options, const Device* device) {
    std::vector<Job> jobs = variants;
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    const auto add = [&](const char* name, const std::function<void()>& run, bool on_cpu) {
        if (!run) return kNone;
        Job job;
        job.name = name;
        job.run = run;
        job.on_cpu = on_cpu;
        jobs.push_back(job);
        return jobs.size() - 1;
    };
    const std::size_t sequential = add("(one CPU core)", yardsticks.cpu_sequential, true);
    const std::size_t all_cores = add("(all CPU cores)", yardsticks.cpu_all_cores, true);
    const std::size_t ceiling = add("(read ceiling)", yardsticks.read_ceiling, false);
    const std::size_t cub = add("(CUB)", yardsticks.cub, false);
    add("(CUB 64-bit)", yardsticks.cub_64_bit, false);
    const std::vector<Timing> timings = measure(jobs, options.rounds, device);

    std::vector<Row> rows(jobs.size(), blank);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        Row& row = rows[j];
        row.variant = jobs[j].name;
        row.device = jobs[j].on_cpu || device == nullptr ? "CPU" : device->name;
        row.simulated = !jobs[j].on_cpu && device != nullptr && device->simulated;
        row.timing = timings[j];
        if (j < variants.size()) {
            row.grid = options.shape.grid;
            row.block = options.shape.block;
        }
        if (row.simulated || row.bytes == 0) continue;  // ratios of nothing, or to nothing
        const auto speedup_over = [&](std::size_t other) {
            return other == kNone ? NAN : timings[other].median / row.timing.median;
        };
        row.gigabytes_per_second = static_cast<double>(row.bytes) / row.timing.median * 1e-9;
        row.times_cpu_sequential = speedup_over(sequential);
        row.times_cpu_all_cores = speedup_over(all_cores);
        if (jobs[j].on_cpu) continue;
        row.of_ceiling = speedup_over(ceiling);
        row.times_cub = speedup_over(cub);
    }
    return rows;
}

/// @brief Prints what stands between a table's title and its first row.
/// @param[in] copy_seconds What copying the input to the device took.
/// @param[in] device       Null for a program that stays on the CPU.
inline void print_table_heading(double copy_seconds, const Device* device) {
    if (device != nullptr)
        std::printf("Copied to the device in %s, which no time below includes.\n",
                    format_seconds(copy_seconds).c_str());
    if (device != nullptr && device->simulated)
        std::printf("Times marked 'sim' are the simulator's: they say nothing about a GPU.\n");
    std::printf("\n");
    print_heading();
}
