/// @file
/// @brief Checks that the checks find what no fault of an exercise can show.
#pragma once

#include <cstddef>

#include "../cuda/device.cuh"
#include "../cuda/error.cuh"
#include "../problem/histogram.hpp"
#include "../problem/sum_of_squares.cuh"
#include "catch.hpp"
#include "check_variant.cuh"
#include "counts_past_32_bits.cuh"
#include "far_elements.cuh"

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

TEST_CASE("an index of 32 bits is found") {
    const Variant<Histogram> broken{.name = "broken", .run = int_index};
    CHECK_FALSE(check_variant(broken));  // small inputs do not show it
    if (init_cuda().simulated) {
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

/// The sum is right, but half of the threads leave out the barrier.
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

TEST_CASE("a barrier that threads leave out is found, unless they are said to return early", "[order]") {
    Variant<SumOfSquares> variant{.name = "left out", .run = leave_out};
    CHECK(check_variant(variant).value_or("").find("barrier left out: threads 0-31 wait at ") !=
          std::string::npos);
    variant.early_exit = true;
    CHECK(check_variant(variant).value_or("") == "");
}

}  // namespace finding_checks
