/// @file
/// @brief Work divided among the CPU's cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "variant.hpp"

/// @return The number of logical cores of this machine; 1 if it is unknown.
inline std::size_t core_count() { return std::max(1u, std::thread::hardware_concurrency()); }

/// @brief Divides `n` elements among `cores` threads, which call `work(first, count)` in parallel.
/// @return The calls' results, in the order of the slices.
/// @throws std::system_error if a thread can't be started, and what `work` throws.
template <typename Work>
auto on_cores(std::size_t cores, std::size_t n, const Work& work) {
    std::vector<std::future<decltype(work(n, n))>> slices;
    for (std::size_t core = 0; core < cores; ++core) {
        const std::size_t first = n / cores * core + std::min(core, n % cores);
        const std::size_t count = n / cores + (core < n % cores);
        slices.push_back(std::async(std::launch::async, std::cref(work), first, count));
    }
    std::vector<decltype(work(n, n))> results;
    results.reserve(cores);
    for (auto& slice : slices) results.push_back(slice.get());
    return results;
}

/// @brief Solves a problem on all cores: each runs `loop` on a slice. @return The sums of their `kResults`.
/// @param[in] loop Computes a slice's results. By default the fastest one: the CPU baseline of every table.
template <typename Problem>
Results on_all_cores(const typename Problem::Element* data, std::size_t n,
                     Results (*loop)(const typename Problem::Element*, std::size_t) = Problem::fast_on_cpu) {
    Results sums(Problem::kResults, 0);
    for (const Results& own : on_cores(core_count(), n, [=](std::size_t first, std::size_t count) {
             return loop(data + first, count);
         }))
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += own[i];
    return sums;
}
