/// @file
/// @brief Work divided among the CPU's cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "variant.hpp"

/// How many cores this machine has.
inline std::size_t core_count() { return std::max(1u, std::thread::hardware_concurrency()); }

/// @brief Divides `n` elements among `cores` threads: `work(first, count)` for each slice, at the same time.
/// @return What each call has returned, in the order of the slices.
template <typename Work>
auto on_cores(std::size_t cores, std::size_t n, const Work& work) {
    std::vector<decltype(work(n, n))> results(cores);
    std::vector<std::thread> threads;
    for (std::size_t core = 0; core < cores; ++core) {
        const std::size_t first = n / cores * core + std::min(core, n % cores);
        const std::size_t count = n / cores + (core < n % cores);
        threads.emplace_back([&results, &work, core, first, count] { results[core] = work(first, count); });
    }
    for (std::thread& thread : threads) thread.join();
    return results;
}

/// The CPU's best, which every table quotes: a problem's fastest loop on all cores. @return `kResults`
/// numbers.
template <typename Problem>
Results on_all_cores(const typename Problem::Element* data, std::size_t n) {
    Results sums(Problem::kResults, 0);
    for (const Results& own : on_cores(core_count(), n, [data](std::size_t first, std::size_t count) {
             return Problem::fast_on_cpu(data + first, count);
         }))
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += own[i];
    return sums;
}
