/// @file
/// @brief Checks of chapter 04.
#include "../common/checks/catch.hpp"
#include "../common/checks/check_histogram.cuh"
#include "broken/assumes_alignment.cuh"
#include "broken/dropped_tail.cuh"
#include "broken/int_base.cuh"
#include "broken/no_barrier_before_merge.cuh"
#include "broken/no_reset.cuh"
#include "broken/no_tail_guard.cuh"
#include "kernels.cuh"

namespace {

using Kernel = void(const unsigned char*, std::size_t, unsigned long long*);

/// A variant that launches a broken kernel in a grid that strides.
template <Kernel* kKernel>
HistogramVariant broken_striding() {
    return {"broken", "",
            [](const unsigned char* d_data, std::size_t n, unsigned long long* d_bins, LaunchShape shape) {
                CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
                if (n == 0) return;
                kKernel<<<shape.grid_or(2 * multiprocessor_count()), shape.block_or(kBlock)>>>(d_data, n,
                                                                                               d_bins);
                CUDA_CHECK(cudaGetLastError());
            }};
}

/// A variant that launches a broken kernel in a grid that follows from n.
template <Kernel* kKernel>
HistogramVariant broken_coarsened() {
    HistogramVariant variant{
        "broken", "",
        [](const unsigned char* d_data, std::size_t n, unsigned long long* d_bins, LaunchShape shape) {
            CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
            if (n == 0) return;
            const unsigned int block = shape.block_or(kBlock);
            kKernel<<<blocks_for(n, block * kCoarsening), block>>>(d_data, n, d_bins);
            CUDA_CHECK(cudaGetLastError());
        }};
    variant.grid_follows_n = true;
    return variant;
}

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const HistogramVariant& variant : variants()) CHECK(check_histogram(variant).value_or("") == "");
}

TEST_CASE("bins count past 2^32") {
    const auto check = [&](Kernel* kernel) {
        return check_counts_past_32_bits(
                   kBins,
                   [&](const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
                       kernel<<<blocks_for(n, kBlock * kCoarsening), kBlock>>>(d_data, n, d_bins);
                   })
            .value_or("");
    };
    CHECK(check(contiguous_kernel) == "");
    CHECK(check(strided_kernel) == "");
    CHECK(check(wide_kernel) == "");
    CHECK(check(copies_kernel<8>) == "");
    CHECK(check(copies_kernel<16>) == "");
    CHECK(check(copies_kernel<32>) == "");
}

TEST_CASE("a grid whose blocks could count past 32 bits is refused") {
    const DeviceBuffer<unsigned long long> d_bins(kBins);
    for (const HistogramVariant& variant : variants()) {
        if (variant.grid_follows_n) continue;
        CHECK_THROWS_AS(variant.run(nullptr, std::size_t{1} << 33, d_bins.data(), {1, 256}),
                        std::invalid_argument);
    }
}

TEST_CASE("more blocks or bytes than an unfinished bin can count are refused") {
    const DeviceBuffer<unsigned long long> d_bins(2 * kBins);
    CHECK_THROWS_AS(histogram_one_launch(nullptr, 1000, d_bins.data(), {1u << 20, 32}),
                    std::invalid_argument);
    CHECK_THROWS_AS(histogram_one_launch(nullptr, std::size_t{1} << 44, d_bins.data(), {1u << 14, 32}),
                    std::invalid_argument);
}

TEST_CASE("more than 2^32 bytes are counted right") {
    if (!can_check_large()) return skip_check("needs a GPU with 6 GiB of free memory");
    for (const HistogramVariant& variant : variants())
        for (const std::size_t n : {(1ull << 31) - 1, (1ull << 31) + 1, (1ull << 32) + 3})
            CHECK(check_large_histogram(variant, n).value_or("") == "");
}

TEST_CASE("every size up to several vectors is right at every alignment") {
    for (const HistogramVariant& variant : variants())
        for (std::size_t n = 0; n < 70; ++n)
            for (std::size_t offset = 0; offset < 16; ++offset)
                REQUIRE(check_histogram_case(variant, {n, "uniform", offset, {0, 64}}).value_or("") == "");
}

TEST_CASE("a dropped tail is found") { CHECK(check_histogram(broken_striding<dropped_tail::kernel>())); }

TEST_CASE("wide loads from any address are found") {
    CHECK(check_histogram(broken_striding<assumes_alignment::kernel>()));
}

TEST_CASE("a missing barrier before the merge is found", "[order]") {
    CHECK(check_histogram(broken_striding<no_barrier_before_merge::kernel>()));
}

TEST_CASE("unfinished bins that are not left at 0 are found") {
    HistogramVariant broken{"broken", "", no_reset::histogram};
    broken.workspace = kBins;
    CHECK(check_histogram(broken));
}

TEST_CASE("a missing tail guard is found") {
    CHECK(check_histogram(broken_coarsened<no_tail_guard::kernel>()));
}

TEST_CASE("a first index of 32 bits is found") {
    const HistogramVariant broken = broken_coarsened<int_base::kernel>();
    CHECK_FALSE(check_histogram(broken));  // small inputs do not show it
    if (!can_check_large()) return skip_check("needs a GPU with 6 GiB of free memory");
    CHECK(check_large_histogram(broken, (1ull << 32) + 3));
}
