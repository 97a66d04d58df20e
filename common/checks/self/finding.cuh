/// @file
/// @brief Checks that the checks find faults of kinds that no exercise's faults cover.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../../cuda/device.cuh"
#include "../../cuda/error.cuh"
#include "../../problem/histogram.hpp"
#include "../../problem/sum_of_squares.cuh"
#include "../catch.hpp"
#include "../check_variant.cuh"
#include "../counts_past_32_bits.cuh"
#include "../far_elements.cuh"
#include "../long_input.cuh"

namespace finding_checks {

/// Has a 32-bit index, which becomes negative past 2^31 elements.
/// @par Source
/// A (jonny_super 2014) and D, "Optimizing histogram CUDA code": `int i` against a `long size`.
__global__ void int_index_kernel(const unsigned char* d_data, long long n, unsigned long long* d_bins) {
    int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
    const int stride = static_cast<int>(blockDim.x * gridDim.x);
    while (i >= 0 && i < n) {  // i >= 0 keeps the fault from reading outside the memory
        atomicAdd(&d_bins[d_data[i]], 1ull);
        i = static_cast<int>(static_cast<unsigned int>(i) + static_cast<unsigned int>(stride));
    }
}

void int_index(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins, unsigned long long*,
               LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    int_index_kernel<<<shape.grid_or(2 * multiprocessor_count()), shape.block_or(256)>>>(
        d_data, static_cast<long long>(n), d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Computes the histogram of up to `kMost` bytes, all equal but the last one, from the first and the last.
template <std::size_t kMost>
void ends_on_cpu(const unsigned char* data, std::size_t n, unsigned long long* bins, unsigned long long*,
                 LaunchShape) {
    n = std::min(n, kMost);
    std::fill(bins, bins + kBins, 0);
    bins[data[0]] = n - 1;
    ++bins[data[n - 1]];
}

TEST_CASE("an index of 32 bits is found") {
    Variant<Histogram> on_cpu{.name = "ends", .run = ends_on_cpu<SIZE_MAX>, .on_cpu = true};
    CHECK(check_long_input(on_cpu).value_or("") == "");
    on_cpu.run = ends_on_cpu<INT_MAX>;
    CHECK(check_long_input(on_cpu).value_or("") ==
          "ends, n = 4294967301: bin 0: expected 4294967300, got 2147483647");
    on_cpu.run = ends_on_cpu<UINT_MAX>;
    CHECK(check_long_input(on_cpu));
    CHECK_FALSE(failure_of_long_input(on_cpu, INT_MAX));

    const Variant<Histogram> broken{.name = "broken", .run = int_index};
    CHECK_FALSE(check_variant(broken));  // small inputs do not show it
    if (is_simulated()) {
        CHECK(check_far_elements(broken));
        return;
    }
    if (!has_room_for<Histogram>(kLargeSizes[2])) return skip_check("needs a GPU with 5 GiB of free memory");
    CHECK(check_large_case(broken, kLargeSizes[2]));
}

/// Adds to the lower 32 bits of the bins, so carries are lost.
__global__ void add_in_32_bits_kernel(const unsigned char* d_data, std::size_t n,
                                      unsigned long long* d_bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(reinterpret_cast<unsigned int*>(&d_bins[d_data[i]]), 1u);
}

TEST_CASE("a merge in 32 bits is found") {
    const auto add = [](const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
        add_in_32_bits_kernel<<<blocks_for(n, 256), 256>>>(d_data, n, d_bins);
    };
    CHECK(check_counts_past_32_bits(kBins, add));
}

/// The sum is right, but half of the threads skip the barrier.
__global__ void left_out_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    if (threadIdx.x < 32) __syncthreads();
    if (threadIdx.x != 0) return;
    *d_sum = 0;
    for (std::size_t i = 0; i < n; ++i) *d_sum += square(d_data[i]);
}

void leave_out(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
               LaunchShape) {
    left_out_kernel<<<1, 64>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

TEST_CASE("a barrier that threads leave out is found", "[order]") {
    if (!is_simulated()) return skip_check("only for the simulator");
    const Variant<SumOfSquares> variant{.name = "left out", .run = leave_out};
    CHECK(check_variant(variant).value_or("").find("barrier left out: threads 0-31 wait at ") !=
          std::string::npos);
}

enum class Fault {
    none,
    reads_before_data,
    wrong_for_smallest,
    keeps_a_number,
    drops_first,
    drops_last,
    short_index
};

/// A grid-stride loop, with one fault or none. It drops elements only if there are 2^32 or more.
template <Fault kFault>
__global__ void sum_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const bool is_first = i == 0;
    if (kFault == Fault::short_index) i = blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    if (kFault == Fault::drops_first && is_first && n >> 32 != 0) i += stride;
    if (kFault == Fault::drops_last && n >> 32 != 0) --n;
    unsigned long long sum = 0;
    for (; i < n; i += stride) sum += square(d_data[i]);
    if (kFault == Fault::reads_before_data && is_first)
        for (const int* d = d_data; reinterpret_cast<std::uintptr_t>(d) % 16 != 0; --d) sum += square(d[-1]);
    if (kFault == Fault::wrong_for_smallest && is_first && *d_data == INT_MIN) ++sum;
    atomicAdd(d_sum, sum);
}

template <Fault kFault>
void sum(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long* d_workspace,
         LaunchShape shape) {
    if (kFault == Fault::keeps_a_number) {
        CUDA_CHECK(cudaMemcpy(d_sum, d_workspace, sizeof(*d_sum), cudaMemcpyDeviceToDevice));
        CUDA_CHECK(cudaMemset(d_workspace, 1, 1));
    } else {
        CUDA_CHECK(cudaMemset(d_sum, 0, sizeof(*d_sum)));
    }
    if (n == 0) return;
    sum_kernel<kFault><<<shape.grid_or(2 * multiprocessor_count()), shape.block_or(256)>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

TEST_CASE("a correct kernel passes, and of a wrong one the first case that shows its fault is described") {
    Variant<SumOfSquares> variant{.name = "sum", .run = sum<Fault::none>};
    const auto words = [&variant] { return check_variant(variant).value_or("right"); };
    CHECK(words() == "right");
    variant.run = sum<Fault::reads_before_data>;
    CHECK(words() ==
          "sum, n = 1, input article, offset 1, grid default, block default: expected 9, got "
          "2297864315641797730");
    variant.run = sum<Fault::wrong_for_smallest>;
    CHECK(words() ==
          "sum, n = 1, input smallest, offset 0, grid default, block default: expected 4611686018427387904, "
          "got 4611686018427387905");
    variant.run = sum<Fault::keeps_a_number>;
    variant.workspace = [](std::size_t, LaunchShape) { return std::size_t{1}; };
    variant.zeroed_workspace = true;
    CHECK(words() ==
          "sum, n = 0, input article, offset 0, grid default, block default: call 2, on zeros: expected 0, "
          "got 1");
}

/// Counts all elements, or all that are not 0.
template <bool kLosesZeros>
__global__ void count_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        if (!kLosesZeros || d_data[i] != 0) atomicAdd(&d_bins[d_data[i]], 1ull);
}

template <bool kLosesZeros>
void count(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins, unsigned long long*,
           LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    count_kernel<kLosesZeros><<<shape.grid, shape.block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

TEST_CASE("elements and threads past 2^32 are checked, fewer of them if the workspace is large") {
    if (!is_simulated()) return skip_check("only for the simulator");
    Variant<SumOfSquares> variant{.name = "sum", .run = sum<Fault::none>};
    const auto words = [&variant] {
        const std::string found = check_far_elements(variant).value_or("right");
        return found.substr(0, found.find(": expected"));
    };
    CHECK(words() == "right");
    variant.run = sum<Fault::drops_first>;
    CHECK_FALSE(check_variant(variant));
    CHECK(words() == "sum, n = 68719509501");
    variant.run = sum<Fault::short_index>;
    CHECK_FALSE(check_variant(variant));
    CHECK(words() == "sum, n = 68719509501");
    variant.run = sum<Fault::drops_last>;
    CHECK_FALSE(check_variant(variant));
    CHECK(words() == "sum, n = 68719509501");
    variant.workspace = [](std::size_t, LaunchShape shape) { return std::size_t{shape.grid} * shape.block; };
    CHECK(words() == "sum, n = 4297064445");
    variant.workspace = [](std::size_t, LaunchShape shape) { return std::size_t{shape.grid}; };
    variant.only_block = 64;
    CHECK(words() == "sum, n = 4294969341");

    CHECK(check_far_elements(Variant<Histogram>{.name = "count", .run = count<false>}).value_or("") == "");
    Variant<Histogram> loses_zeros{.name = "count", .run = count<true>};
    CHECK_FALSE(suitable_far_case(loses_zeros));   // its results are wrong in all cases
    loses_zeros.wrong_because = "it loses zeros";  // a variant that is wrong on purpose may do this
    CHECK(check_far_elements(loses_zeros).value_or("") == "");
}

/// Counts tile by tile. A tile has `kTimes` elements for each thread of a block.
template <typename Index, int kTimes>
__global__ void tiled_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const Index count = static_cast<Index>(n), size = blockDim.x * kTimes;
    for (Index tile = blockIdx.x; tile * size < count; tile += gridDim.x)
        for (Index k = 0; k < kTimes; ++k) {
            const Index i = tile * size + k * blockDim.x + threadIdx.x;
            if (i < count) atomicAdd(&d_bins[d_data[i]], 1ull);
        }
}

template <typename Index, int kTimes>
void tiled(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins, unsigned long long*,
           LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    tiled_kernel<Index, kTimes><<<shape.grid, shape.block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// Launches no more blocks than 16 bits can count. They count the elements beyond these only if `kInTurn`.
template <bool kInTurn>
void few_blocks(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins, unsigned long long*,
                LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int grid = std::min(blocks_for(n, shape.block), 65535u);
    count_kernel<false>
        <<<grid, shape.block>>>(d_data, kInTurn ? n : std::min(n, std::size_t{grid} * shape.block), d_bins);
    CUDA_CHECK(cudaGetLastError());
}

TEST_CASE("a limit on the number of blocks is found, and distinguished from blocks that take turns") {
    if (!is_simulated()) return skip_check("only for the simulator");
    Variant<Histogram> variant{.name = "count", .run = count<false>};
    CHECK_FALSE(case_of_many_blocks(variant));
    variant.grid_follows_n = true;
    for (const bool in_turn : {false, true}) {
        variant.run = in_turn ? few_blocks<true> : few_blocks<false>;
        const auto many = case_of_many_blocks(variant);
        REQUIRE(many);
        CHECK(failure_in(variant, Case{many->n, "uniform", 0, many->shape, 1}).has_value() != in_turn);
    }
}

TEST_CASE("blocks may divide many elements in their own way") {
    if (!is_simulated()) return skip_check("only for the simulator");
    using Wide = std::size_t;
    for (const auto run : {tiled<Wide, 4>, tiled<Wide, 64>, tiled<Wide, 3>}) {
        CHECK(check_far_elements(Variant<Histogram>{.name = "tiles", .run = run}).value_or("") == "");
    }
    CHECK_FALSE(suitable_far_case(Variant<Histogram>{.name = "tiles", .run = tiled<Wide, 3>}));
    // In the case of the most elements, the last blocks have no tile. With more elements per block, they do.
    CHECK(check_far_elements(Variant<Histogram>{.name = "tiles", .run = tiled<unsigned int, 64>}));
}

}  // namespace finding_checks
