/// @file
/// @brief Work shared out to the CPU's cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

/// @return How many cores are worth while for `n` elements, if each counts into `bins` bins of its own.
inline std::size_t cores_for(std::size_t n, std::size_t bins) {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    return std::clamp<std::size_t>(n / bins, 1, cores);
}

/// @brief Divides `n` elements among cores: `work(first, last)` for each, at the same time.
/// @tparam Work Returns something with a member `add`, which takes another one.
/// @return What they have returned, added up in order.
template <typename Work>
auto on_cores(std::size_t cores, std::size_t n, const Work& work) {
    std::vector<decltype(work(n, n))> results(cores);
    std::vector<std::thread> threads;
    for (std::size_t core = 0; core < cores; ++core) {
        const std::size_t first = n / cores * core, last = core + 1 == cores ? n : n / cores * (core + 1);
        threads.emplace_back([&results, &work, core, first, last] { results[core] = work(first, last); });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t core = 1; core < cores; ++core) results[0].add(results[core]);
    return results[0];
}
