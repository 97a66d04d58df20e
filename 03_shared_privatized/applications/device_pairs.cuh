/// @file
/// @brief Pairs in device memory, and what the tables of both applications have in common.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "../../common/bench/bench.cuh"
#include "../../common/cuda/device_buffer.cuh"
#include "options.hpp"

/// Two columns in device memory, one after the other.
template <typename T>
struct DevicePairs {
    std::size_t n;
    DeviceBuffer<T> buffer;

    /// @throws CudaError.
    explicit DevicePairs(const Pairs<T>& pairs) : n(pairs.first.size()), buffer(2 * n) {
        CUDA_CHECK(cudaMemcpy(buffer.data(), pairs.first.data(), n * sizeof(T), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(buffer.data() + n, pairs.second.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    const T* first() const { return buffer.data(); }       ///< `n` elements
    const T* second() const { return buffer.data() + n; }  ///< `n` elements

    /// What all rows have in common.
    Row common_row(const char* problem) const {
        return {.chapter = "03_shared_privatized", .problem = problem, .n = n, .bytes = buffer.bytes()};
    }
};

/// What is printed of an axis.
inline std::string axis_text(const std::string& name, const Axis& axis) {
    return std::to_string(axis.bins) + " bins of " + name + " from " + rough(axis.low) + " to " +
           rough(axis.high);
}

/// Prints a table with what is above it.
/// @param[in] what    What is counted: "Joint histogram of 5 pairs".
/// @param[in] detail  More about it, in one line.
/// @param[in] outside How many of these have no bin.
inline void print_table(const std::string& what, const std::string& detail, std::size_t outside,
                        const std::vector<Row>& rows, const Device& device) {
    const std::string dropped = outside == 0 ? "none outside" : std::to_string(outside) + " outside, dropped";
    std::printf("\n%s (%s), %s\n%s; %s.\n", what.c_str(), rows.front().input.c_str(), device.name.c_str(),
                detail.c_str(), dropped.c_str());
    print_table_heading(rows.front(), &device);
    for (const Row& row : rows) print_row(row);
}
