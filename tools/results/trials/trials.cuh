/// @file
/// @brief Kernels with one thing changed, timed side by side.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../common/bench/measure.cuh"
#include "../../../common/problem/verify.hpp"

constexpr unsigned int kBlock = 256;  ///< threads per block

/// Work that is timed and gets a line of the output.
struct Trial {
    std::string name;
    std::function<void()> work;
    std::function<void()> clear = [] {};         ///< called before each sample, not timed
    std::function<Results()> results = nullptr;  ///< null: no results to compare
};

/// Times trials side by side, and prints a line for each. @throws std::runtime_error if a result is wrong.
inline void print_trials(const std::string& title, const std::vector<Trial>& trials, const Results& expected,
                         const Device& device) {
    std::vector<Job> jobs;
    for (const Trial& trial : trials)
        jobs.push_back({.name = trial.name,
                        .work =
                            [&trial] {
                                trial.work();
                                CUDA_CHECK(cudaGetLastError());
                            },
                        .prepare = trial.clear,
                        .verify =
                            [&trial, &expected] {
                                if (!trial.results) return Verdict{};
                                return verdict_of(verify_one_by_one(trial.results(), expected));
                            }});
    const std::vector<Row> rows = time_in_rounds(jobs, 20, "clean", &device);
    std::printf("\n%s\n", title.c_str());
    for (std::size_t t = 0; t < trials.size(); ++t) {
        if (rows[t].verdict.is_wrong())
            throw std::runtime_error(trials[t].name + ": " + rows[t].verdict.words);
        std::printf("  %-46s %9s\n", trials[t].name.c_str(), format_time(rows[t]).c_str());
    }
}
