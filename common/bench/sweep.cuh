/// @file
/// @brief How many blocks? The same kernel from one block to one element a thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../problem/histogram.cuh"
#include "../problem/verify.hpp"
#include "bench.cuh"
#include "options.hpp"
#include "table.cuh"

/// The option of the programs that can sweep.
constexpr ExtraMode kSweepMode{"sweep", "time a kernel from one block to one element a thread", true};

/// @return 1, 2, 4, … blocks, the multiples of the device's multiprocessors, and one element a thread.
inline std::vector<unsigned int> sweep_grids(std::size_t n, unsigned int block,
                                             unsigned int multiprocessors) {
    const unsigned int last = std::max(1u, blocks_for(n, block));
    std::vector<unsigned int> grids{last};
    for (std::size_t grid = 1; grid < last; grid *= 4) grids.push_back(static_cast<unsigned int>(grid));
    for (std::size_t grid = multiprocessors; grid < last && grid <= 32 * std::size_t{multiprocessors};
         grid *= 2)
        grids.push_back(static_cast<unsigned int>(grid));
    std::sort(grids.begin(), grids.end());
    grids.erase(std::unique(grids.begin(), grids.end()), grids.end());
    return grids;
}

/// @brief Times and verifies a kernel that strides by its grid, in grids of every size.
/// @par Source
/// D, "Optimizing histogram CUDA code", which finds the best grid between the two extremes, at twice
/// the number of multiprocessors.
/// @param[in] chapter The chapter's folder, and `variant` the kernel's name, for the rows.
/// @return The program's exit status: 1 if any grid gave a wrong histogram.
inline int print_sweep(const std::string& chapter, const HistogramVariant& variant,
                       const unsigned char* d_data, const std::vector<unsigned char>& data,
                       unsigned int default_block, const Options& options, const Device& device) {
    const unsigned int block = options.shape.block_or(default_block);
    const auto multiprocessors = static_cast<unsigned int>(device.multiprocessors);
    const std::size_t n = data.size();
    const Bins expected = reference_histogram(data.data(), n);
    const DeviceBuffer<unsigned long long> d_bins = device_bins(variant);
    const std::vector<unsigned int> grids = sweep_grids(n, block, multiprocessors);
    std::vector<char> wrong(grids.size(), 0);

    std::vector<Job> jobs;
    for (std::size_t g = 0; g < grids.size(); ++g) {
        Job job;
        job.name = variant.name;
        job.run = [&, g] { variant.run(d_data, n, d_bins.data(), {grids[g], block}); };
        job.after = [&, g] { wrong[g] |= verify_bin_by_bin(d_bins.to_host(), expected).has_value(); };
        jobs.push_back(job);
    }
    std::vector<Row> rows = measure_rows(jobs, {}, common_row(chapter, options, n, n), options, &device);

    std::printf("\n%s: %zu bytes, blocks of %u threads, %u multiprocessors, %s\n\n", variant.name, n, block,
                multiprocessors, device.name.c_str());
    std::printf("%10s %18s %16s %12s %7s\n", "blocks", "a multiprocessor", "bytes a thread", "time", "GB/s");
    for (std::size_t g = 0; g < grids.size(); ++g) {
        Row& row = rows[g];
        row.grid = grids[g];
        row.block = block;
        row.verdict = wrong[g] ? "WRONG" : "ok";
        std::printf("%10u %18.2f %16.1f %12s %7s%s\n", grids[g],
                    static_cast<double>(grids[g]) / multiprocessors,
                    static_cast<double>(n) / grids[g] / block, format_time(row).c_str(),
                    format_ratio(row.gigabytes_per_second).c_str(), wrong[g] ? "  WRONG" : "");
    }
    write_rows(rows, options.csv, options.json);
    return std::count(wrong.begin(), wrong.end(), 0) == static_cast<std::ptrdiff_t>(wrong.size()) ? 0 : 1;
}
