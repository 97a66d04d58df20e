/// @file
/// @brief Pairs in device memory, and the table of what is computed from them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "../../../common/bench/measure.cuh"
#include "../../../common/cuda/device_buffer.cuh"
#include "../options.hpp"

/// What is printed about an axis.
inline std::string axis_text(const std::string& name, const Axis& axis) {
    return std::to_string(axis.bins) + " bins of " + name + " from " + rough(axis.low) + " to " +
           rough(axis.high);
}

/// Two columns in device memory, one after the other, and the table of what is computed from them.
template <typename T>
struct PairsTable {
    const ApplicationOptions& options;
    const Device& device;
    const std::size_t n;
    const DeviceBuffer<T> d_pairs;
    const char* const problem;
    std::vector<Job> jobs;

    /// @throws CudaError.
    PairsTable(const char* problem_, const Pairs<T>& pairs, const ApplicationOptions& options_,
               const Device& device_)
        : options(options_), device(device_), n(pairs.first.size()), d_pairs(2 * n), problem(problem_) {
        CUDA_CHECK(cudaMemcpy(d_pairs.data(), pairs.first.data(), n * sizeof(T), cudaMemcpyHostToDevice));
        CUDA_CHECK(
            cudaMemcpy(d_pairs.data() + n, pairs.second.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    const T* first() const { return d_pairs.data(); }       ///< `n` elements
    const T* second() const { return d_pairs.data() + n; }  ///< `n` elements

    /// @brief Times and verifies all jobs, and prints their table with what is above it.
    /// @param[in] what    What is counted: "Joint histogram of 5 pairs".
    /// @param[in] detail  More about what is counted, in one line.
    /// @param[in] outside How many pairs have no bin.
    /// @return The program's exit status: 1 if a result is wrong.
    int measure_and_print(const std::string& what, const std::string& detail, std::size_t outside) {
        for (const Job& job : read_ceiling_jobs(d_pairs.data(), d_pairs.bytes(), &device))
            jobs.push_back(job);
        const std::vector<Row> rows = measure(
            jobs, {.chapter = "03_shared_privatized", .problem = problem, .n = n, .bytes = d_pairs.bytes()},
            options, &device);
        const std::string dropped =
            outside == 0 ? "none outside" : std::to_string(outside) + " outside, dropped";
        std::printf("\n%s (%s), %s\n%s; %s.\n", what.c_str(), rows.front().input.c_str(), device.name.c_str(),
                    detail.c_str(), dropped.c_str());
        print_table_heading(rows.front(), &device);
        for (const Row& row : rows) print_row(row);
        return status_of(rows);
    }
};
