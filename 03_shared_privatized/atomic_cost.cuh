/// @file
/// @brief What an atomic addition costs in shared and in global memory: `--atomic-cost`.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>

#include "../common/bench/measure.cuh"
#include "../common/bench/options.hpp"
#include "../common/cuda/device_buffer.cuh"

constexpr unsigned int kCells = 1024;      ///< per block, one for each thread
constexpr unsigned int kAdditions = 1024;  ///< per thread

/// @brief Latency: one thread, whose additions each wait for the result of the one before.
/// @param[out] d_cycles The SM's clock cycles for all additions.
template <bool kShared>
__global__ void latency_kernel(unsigned int* d_cells, long long* d_cycles) {
    __shared__ unsigned int cell;
    cell = 0;
    unsigned int* const address = kShared ? &cell : d_cells;
    unsigned int old = 0;
    const long long start = clock64();
    // The highest bit of the result is never set, but the compiler cannot know that.
    for (unsigned int k = 0; k < kAdditions; ++k) old = atomicAdd(address + (old >> 31), 1u);
    *d_cycles = clock64() - start;
    d_cells[0] = old + 1;
}

/// @brief Throughput: all threads of a grid of blocks of `kCells` threads add, to `cells` cells per block.
/// @param[in,out] d_cells `kCells` per block; each cell is increased by what was added to it.
template <bool kShared>
__global__ void throughput_kernel(unsigned int* d_cells, unsigned int cells) {
    __shared__ unsigned int block_cells[kCells];
    block_cells[threadIdx.x] = 0;
    __syncthreads();
    unsigned int* const own = d_cells + std::size_t{blockIdx.x} * kCells;
    unsigned int* const address = kShared ? &block_cells[threadIdx.x % cells] : &own[threadIdx.x % cells];
    for (unsigned int k = 0; k < kAdditions; ++k) atomicAdd(address, 1u);
    __syncthreads();
    if (kShared) own[threadIdx.x] += block_cells[threadIdx.x];
}

/// Adds up all cells, to check that no addition was lost.
inline unsigned long long sum_of_cells(const DeviceBuffer<unsigned int>& d_cells) {
    unsigned long long sum = 0;
    for (const unsigned int cell : d_cells.to_host()) sum += cell;
    return sum;
}

/// @brief Measures and prints latency and throughput of `atomicAdd` on unsigned int.
/// @return The program's exit status: 1 if an addition was lost.
/// @par Source
/// B gives latencies of about 20 and 400 cycles, and throughputs that follow from them.
inline int print_atomic_cost(const Options& options, const Device& device) {
    const auto blocks = 2 * static_cast<unsigned int>(device.multiprocessors);
    const DeviceBuffer<unsigned int> d_cells(std::size_t{blocks} * kCells);
    const DeviceBuffer<long long> d_cycles(1);
    const auto clear = [&] { CUDA_CHECK(cudaMemset(d_cells.data(), 0, d_cells.bytes())); };
    bool none_lost = true;

    std::printf("\natomicAdd on unsigned int, %s\n\n", device.name.c_str());
    const auto latency = [&](auto kernel, const char* where) {
        clear();
        for (int run = 0; run < 2; ++run) {  // the first one warms up
            clear();
            kernel<<<1, 1>>>(d_cells.data(), d_cycles.data());
            CUDA_CHECK(cudaGetLastError());
        }
        none_lost = none_lost && sum_of_cells(d_cells) == kAdditions;
        const double cycles = static_cast<double>(d_cycles.to_host()[0]) / kAdditions;
        std::printf("latency, one thread, %-14s %10s\n", where,
                    device.simulated ? "-" : (format_ratio(cycles) + " cycles").c_str());
    };
    latency(latency_kernel<true>, "shared memory");
    latency(latency_kernel<false>, "global memory");

    const double additions = static_cast<double>(blocks) * kCells * kAdditions;
    std::printf("\nthroughput, %u blocks of %u threads, 10^9 additions per second:\n", blocks, kCells);
    std::printf("%26s %14s %14s\n", "", "shared memory", "global memory");
    for (const unsigned int cells : {kCells, 32u, 1u}) {
        const auto verify = [&] {
            CUDA_CHECK(cudaGetLastError());
            none_lost = none_lost && static_cast<double>(sum_of_cells(d_cells)) == additions;
            return Verdict{};
        };
        const std::vector<Row> rows =
            measure({{.name = "shared memory",
                      .work = [&] { throughput_kernel<true><<<blocks, kCells>>>(d_cells.data(), cells); },
                      .prepare = clear,
                      .verify = verify},
                     {.name = "global memory",
                      .work = [&] { throughput_kernel<false><<<blocks, kCells>>>(d_cells.data(), cells); },
                      .prepare = clear,
                      .verify = verify}},
                    {}, options, &device);
        const auto rate = [&](std::size_t j) {
            return device.simulated ? std::string("-")
                                    : format_ratio(additions / rows[j].timing.median * 1e-9);
        };
        std::printf("%18u cell%s per block %10s %14s\n", cells, cells == 1 ? " " : "s", rate(0).c_str(),
                    rate(1).c_str());
    }
    if (!none_lost) std::printf("WRONG: additions were lost\n");
    return none_lost ? 0 : 1;
}
