/// @file
/// @brief Times a kernel in grids of many sizes, from one block to one element per thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../problem/histogram.hpp"
#include "../problem/prepared_variant.cuh"
#include "../problem/verify.hpp"
#include "measure.cuh"
#include "options.hpp"

/// The option of programs that can sweep.
constexpr ExtraMode kSweepMode{"sweep", "time a kernel in grids from one block up to one thread per element",
                               true, true};

/// @return Grids of 1, 4, 16, … blocks, of 1, 2, 4, … 32 per SM, and of one element per thread; ascending.
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

/// @brief Times and verifies a grid-stride kernel in grids of many sizes.
/// @par Source
/// D, "Optimizing histogram CUDA code", which finds the best grid between these extremes, at two blocks
/// per SM.
/// @param[in] chapter The chapter's folder, for the rows.
/// @return The program's exit status: 1 if any grid gave a wrong histogram.
inline int print_sweep(const std::string& chapter, const Variant<Histogram>& variant,
                       const unsigned char* d_data, const std::vector<unsigned char>& data,
                       unsigned int default_block, const Options& options, const Device& device) {
    const unsigned int block = options.shape.block_or(default_block);
    const auto multiprocessors = static_cast<unsigned int>(device.multiprocessors);
    const std::size_t n = data.size();
    const Bins expected = reference_histogram(data.data(), n);

    std::vector<Job> jobs;
    for (const unsigned int grid : sweep_grids(n, block, multiprocessors)) {
        const LaunchShape shape{grid, block};
        const auto prepared = std::make_shared<PreparedVariant<Histogram>>(variant, n, shape);
        jobs.push_back(
            {.name = variant.name,
             .work = [=] { prepared->call(d_data); },
             .prepare = [=] { prepared->poison(); },
             .verify = [=,
                        &expected] { return verdict_of(verify_one_by_one(prepared->results(), expected)); },
             .shape = shape});
    }
    const std::vector<Row> rows = measure(
        jobs, {.chapter = chapter, .problem = Histogram::kName, .n = n, .bytes = n}, options, &device);

    std::printf("\n%s: %zu bytes, blocks of %u threads, %u SMs, %s\n\n", variant.name, n, block,
                multiprocessors, device.name.c_str());
    std::printf("%10s %18s %16s %12s %7s\n", "blocks", "per SM", "bytes per thread", "time", "GB/s");
    for (const Row& row : rows)
        std::printf("%10u %18.2f %16.1f %12s %7s%s\n", row.grid,
                    static_cast<double>(row.grid) / multiprocessors,
                    static_cast<double>(n) / row.grid / block, format_time(row).c_str(),
                    format_ratio(row.gigabytes_per_second).c_str(),
                    row.verdict.is_wrong() ? looks(Look::bad, "  WRONG").c_str() : "");
    return status_of(rows);
}
