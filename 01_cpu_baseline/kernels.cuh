/// @file
/// @brief Chapter 01: the histogram on a CPU: one loop, then two ways to make it faster.
///
/// Each histogram is a @ref Variant::Run, which describes the parameters. All arrays are in host memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include "../common/problem/histogram.hpp"

/// One pass, one table: reads a byte and adds one to its bin.
/// @par Source
/// A (jonny_super 2014), B and D ("Optimizing histogram CUDA code") begin with this loop.
inline void histogram_sequential(const unsigned char* data, std::size_t n, unsigned long long* bins,
                                 unsigned long long*, LaunchShape) {
    std::fill(bins, bins + kBins, 0ull);
    for (std::size_t i = 0; i < n; ++i) ++bins[data[i]];
}

/// The number of tables. Four hide the latency from a store to the next load of the same bin.
constexpr std::size_t kTables = 4;
/// One histogram per table.
using Tables = std::array<std::array<unsigned long long, kBins>, kTables>;

/// @brief Counts neighbouring bytes in different tables.
///
/// If two equal bytes in a row are counted in one table, the second addition waits for the store of the
/// first. In two tables the additions are independent, so the CPU overlaps them.
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    // [01.1] Count neighbouring bytes in different tables, then the bytes that are left over.
    std::size_t i = 0;
    for (; i + kTables <= n; i += kTables)
        for (std::size_t t = 0; t < kTables; ++t) ++tables[t][data[i + t]];
    for (; i < n; ++i) ++tables[0][data[i]];
    // [/01.1]
}

/// Adds the tables to the bins.
inline void merge(const Tables& tables, unsigned long long* bins) {
    for (std::size_t b = 0; b < kBins; ++b)
        for (std::size_t t = 0; t < kTables; ++t) bins[b] += tables[t][b];
}

/// Counts in several tables in turn, and adds them up at the end.
inline void histogram_four_tables(const unsigned char* data, std::size_t n, unsigned long long* bins,
                                  unsigned long long*, LaunchShape) {
    std::fill(bins, bins + kBins, 0ull);
    Tables tables{};
    count_in_turn(data, n, tables);
    merge(tables, bins);
}

/// @brief One thread per core, each with its own slice of the data and its own tables.
///
/// No two threads write to the same memory while they count, so no lock is needed. This is privatization,
/// which chapter 03 uses on the GPU.
/// @param[in] shape The grid is the number of threads; 0 means one per core.
inline void histogram_all_cores(const unsigned char* data, std::size_t n, unsigned long long* bins,
                                unsigned long long*, LaunchShape shape) {
    const std::size_t count = shape.grid_or(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<Tables> tables(count, Tables{});
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < count; ++t) {
        const std::size_t first = n / count * t + std::min(t, n % count);
        const std::size_t size = n / count + (t < n % count);
        // [01.2] Start a thread that counts its slice in its own tables, and stores them in tables[t].
        threads.emplace_back([=, &tables] {
            Tables own{};  // on this thread's stack: no cache line is shared while counting
            count_in_turn(data + first, size, own);
            tables[t] = own;
        });
        // [/01.2]
    }
    threads.clear();  // waits until all threads have ended
    std::fill(bins, bins + kBins, 0ull);
    for (const Tables& own : tables) merge(own, bins);
}

/// The chapter's variants, in the order of the chapter.
inline const std::vector<Variant<Histogram>> kVariants = {
    {.name = "sequential",
     .idea = "one loop over the bytes, one table of bins",
     .run = histogram_sequential,
     .on_cpu = true},
    {.name = "four tables",
     .idea = "neighbouring bytes are counted in different tables",
     .run = histogram_four_tables,
     .on_cpu = true},
    {.name = "all cores",
     .idea = "each core has its own slice of the data and its own tables",
     .run = histogram_all_cores,
     .on_cpu = true,
     .most_blocks = 2048},
};
