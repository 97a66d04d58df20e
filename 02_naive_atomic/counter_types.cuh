/// @file
/// @brief How fast `atomicAdd` is for each type of counter, and how high each can count: `--counter-types`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../common/bench/measure.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "../common/problem/verify.hpp"
#include "kernels.cuh"

/// `grid_stride_kernel` with counters of any type that `atomicAdd` accepts.
/// @param[in,out] d_counters 256 counters, which the host has cleared.
template <typename Counter>
__global__ void typed_kernel(const unsigned char* d_data, std::size_t n, Counter* d_counters) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_counters[d_data[i]], Counter{1});
}

/// Clears 256 counters and counts into them.
template <typename Counter>
void histogram_typed(const unsigned char* d_data, std::size_t n, Counter* d_counters, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_counters, 0, kBins * sizeof(Counter)));
    if (n == 0) return;
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    typed_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_counters);
    CUDA_CHECK(cudaGetLastError());
}

/// A job that counts with counters of one type.
/// @param[in] largest The largest number that adding 1 to a counter can reach.
template <typename Counter>
Job counter_type_job(const char* name, unsigned long long largest, const unsigned char* d_data, std::size_t n,
                     const Bins& expected, LaunchShape shape) {
    const auto d_counters = std::make_shared<DeviceBuffer<Counter>>(kBins);
    const auto verify = [d_counters, &expected, largest] {
        const std::vector<Counter> counters = d_counters->to_host();
        if (*std::max_element(expected.begin(), expected.end()) > largest)
            return verdict_of(std::nullopt, "past its limit: " + std::to_string(largest) + " per bin");
        return verdict_of(verify_one_by_one(Bins(counters.begin(), counters.end()), expected));
    };
    return {.name = name,
            .work = [=] { histogram_typed(d_data, n, d_counters->data(), shape); },
            .prepare = [=] { CUDA_CHECK(cudaMemset(d_counters->data(), 0xA5, d_counters->bytes())); },
            .verify = verify,
            .shape = shape};
}

/// @brief Times and verifies the grid-stride loop with five types of counters, and prints the table.
/// @param[in] chapter The chapter's folder, which the rows name.
/// @param[in] d_data  The bytes in device memory.
/// @param[in] data    The same bytes in host memory.
/// @return The program's exit status: 1 if a histogram within its type's limit is wrong.
/// @par Source
/// B, on the types that `atomicAdd` accepts.
inline int print_counter_types(const std::string& chapter, const unsigned char* d_data,
                               const std::vector<unsigned char>& data, const Options& options,
                               const Device& device) {
    const std::size_t n = data.size();
    const Bins expected = reference_histogram(data.data(), n);
    std::vector<Job> jobs;
    const auto add = [&]<typename Counter>(const char* name, unsigned long long largest, Counter) {
        jobs.push_back(counter_type_job<Counter>(name, largest, d_data, n, expected, options.shape));
    };
    add("int counters", 0x7fffffffull, int{});
    add("unsigned counters", 0xffffffffull, 0u);
    add("64-bit counters", ~0ull, 0ull);
    add("float counters", 1ull << 24, 0.0f);
    add("double counters", 1ull << 53, 0.0);
    const std::vector<Row> rows = measure(
        jobs, {.chapter = chapter, .problem = Histogram::kName, .n = n, .bytes = n}, options, &device);

    std::printf("\natomicAdd by type: %s, %s\n\n", Histogram::title(n).c_str(), device.name.c_str());
    print_heading();
    for (const Row& row : rows) print_row(row);
    return status_of(rows);
}
