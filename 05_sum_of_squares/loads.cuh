/// @file
/// @brief Why the order of loads matters: measured by loads in flight (`--loads`) and strides (`--strides`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../common/bench/measure.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "kernels.cuh"

/// @brief The squares of elements `first`, `first + step` and so on before `end`, added up.
///
/// Each iteration issues `kLoads` loads before it uses the first of their values.
template <unsigned int kLoads>
__device__ inline unsigned long long squares_between(const int* d_data, std::size_t first, std::size_t end,
                                                     std::size_t step) {
    unsigned long long sum = 0;
    std::size_t i = first;
#pragma unroll 1
    for (; i + (kLoads - 1) * step < end; i += kLoads * step) {
        int values[kLoads];
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) values[k] = d_data[i + k * step];
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) sum += square(values[k]);
    }
#pragma unroll 1
    for (; i < end; i += step) sum += square(d_data[i]);
    return sum;
}

/// The sums of `contiguous_kernel` or of `strided_kernel`, with `kLoads` loads in flight per thread.
template <bool kStrided, unsigned int kLoads>
__global__ void loads_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    if (kStrided) {
        d_partials[threadIdx.x] = squares_between<kLoads>(d_data, threadIdx.x, n, blockDim.x);
    } else {
        const std::size_t chunk = (n + blockDim.x - 1) / blockDim.x;
        const std::size_t first = threadIdx.x * chunk, end = first + chunk < n ? first + chunk : n;
        d_partials[threadIdx.x] = squares_between<kLoads>(d_data, first, end, 1);
    }
}

/// @brief The loop of `blocks_kernel`, but neighbouring threads load ints that are `kStride` apart.
///
/// The grid goes through the data `kStride` times, each time over elements that it has not loaded before.
/// Each element is therefore loaded once, whatever the stride. Only the number of sectors differs.
template <unsigned int kStride>
__global__ void stride_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long sum = 0;
    for (std::size_t pass = 0; pass < kStride; ++pass)
#pragma unroll 1
        for (std::size_t i = pass + thread * kStride; i < n; i += threads * kStride) sum += square(d_data[i]);
    d_partials[thread] = sum;
}

/// A kernel of this file, and what its row is called.
struct LoadsStep {
    std::string name;
    void (*kernel)(const int*, std::size_t, unsigned long long*);
};

/// The kernels of `--loads`: each number of loads in both orders.
inline const std::vector<LoadsStep> kLoadsSteps = {
    {"contiguous, 1 load", loads_kernel<false, 1>},    {"strided, 1 load", loads_kernel<true, 1>},
    {"contiguous, 4 loads", loads_kernel<false, 4>},   {"strided, 4 loads", loads_kernel<true, 4>},
    {"contiguous, 16 loads", loads_kernel<false, 16>}, {"strided, 16 loads", loads_kernel<true, 16>}};

/// The kernels of `--strides`.
inline const std::vector<LoadsStep> kStrideSteps = {
    {"stride 1", stride_kernel<1>}, {"stride 2", stride_kernel<2>},   {"stride 4", stride_kernel<4>},
    {"stride 8", stride_kernel<8>}, {"stride 16", stride_kernel<16>}, {"stride 32", stride_kernel<32>}};

/// @brief Times kernels that leave one partial sum per thread, without adding these up, and verifies them.
/// @param[in] data   The ints, in host memory.
/// @param[in] d_data The same ints in device memory.
/// @return A row per kernel.
inline std::vector<Row> time_loads(const std::vector<LoadsStep>& steps, const LaunchShape& shape,
                                   const std::vector<int>& data, const int* d_data, const Options& options,
                                   const Device& device) {
    const Results expected = on_all_cores<SumOfSquares>(data.data(), data.size());
    const DeviceBuffer<unsigned long long> d_partials(std::size_t{shape.grid} * shape.block);
    std::vector<Job> jobs;
    jobs.reserve(steps.size());
    for (const LoadsStep& step : steps)
        jobs.push_back({.name = step.name,
                        .work =
                            [&, kernel = step.kernel] {
                                kernel<<<shape.grid, shape.block>>>(d_data, data.size(), d_partials.data());
                                CUDA_CHECK(cudaGetLastError());
                            },
                        .verify =
                            [&] {
                                Results sum{0};
                                for (const unsigned long long partial : d_partials.to_host())
                                    sum[0] += partial;
                                return verdict_of(verify_one_by_one(sum, expected),
                                                  SumOfSquares::verdict(sum));
                            },
                        .shape = shape});
    return measure(jobs,
                   {.chapter = "05_sum_of_squares",
                    .problem = SumOfSquares::kName,
                    .n = data.size(),
                    .bytes = data.size() * sizeof(int)},
                   options, &device);
}

/// @brief Prints the times of both orders with 1, 4 and 16 loads in flight per thread, in one block:
/// `--loads`.
/// @return The program's exit status: 1 if a sum is wrong.
inline int print_loads(const std::vector<int>& data, const int* d_data, const Options& options,
                       const Device& device) {
    const LaunchShape shape{1, options.shape.block_or(kThreads)};
    const std::vector<Row> rows = time_loads(kLoadsSteps, shape, data, d_data, options, device);
    std::printf("\n%s (%s), one block of %u threads, %s\n\n", SumOfSquares::title(data.size()).c_str(),
                options.source().c_str(), shape.block, device.name.c_str());
    std::printf("%-22s %12s  %s\n", "order, loads in flight", "time", "verdict");
    for (const Row& row : rows)
        std::printf("%-22s %12s  %s\n", row.variant.c_str(), format_time(row).c_str(),
                    row.verdict.words.c_str());
    return status_of(rows);
}

/// @brief Prints the times of a full grid whose neighbouring threads load ints 1 to 32 apart: `--strides`.
/// @return The program's exit status: 1 if a sum is wrong.
inline int print_strides(const std::vector<int>& data, const int* d_data, const Options& options,
                         const Device& device) {
    const LaunchShape shape = fitting(options.shape);
    const std::vector<Row> rows = time_loads(kStrideSteps, shape, data, d_data, options, device);
    std::printf("\n%s (%s), %u blocks of %u threads, %s\n\n", SumOfSquares::title(data.size()).c_str(),
                options.source().c_str(), shape.grid, shape.block, device.name.c_str());
    std::printf("%-10s %12s %8s %10s  %s\n", "", "time", "GB/s", "x stride 1", "verdict");
    for (const Row& row : rows)
        std::printf("%-10s %12s %8s %10s  %s\n", row.variant.c_str(), format_time(row).c_str(),
                    format_ratio(row.gigabytes_per_second).c_str(),
                    format_ratio(row.simulated ? NAN : row.timing.median / rows[0].timing.median).c_str(),
                    row.verdict.words.c_str());
    return status_of(rows);
}
