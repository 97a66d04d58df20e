/// @file
/// @brief Checks of chapter 04.
#include "../common/bench/variants.hpp"
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/checks/counts_past_32_bits.cuh"
#include "../common/checks/far_elements.cuh"
#include "kernels.cuh"

using namespace coarsened;

namespace {

using Kernel = void(const unsigned char*, std::size_t, unsigned long long*);

/// Launches one form of the kernel of *one launch*, whatever n is.
template <bool kStreaming, bool kIsSmall>
void launch_once(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                 unsigned long long* d_unfinished, LaunchShape shape) {
    one_launch_kernel<kStreaming, kIsSmall>
        <<<shape.grid_or(3), shape.block_or(kWideBlock)>>>(d_data, n, d_bins, d_unfinished);
    CUDA_CHECK(cudaGetLastError());
}

__global__ void clear_counts_kernel(unsigned int* d_counts, unsigned int size) {
    clear_counts(d_counts, size);
}

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("both kinds of loads are right, also in the form for small inputs") {
    Variant<Histogram> in_flight = variant_named(kVariants, "loads in flight");
    for (const auto run :
         {histogram_striding<in_flight_kernel<true>>, histogram_striding<in_flight_kernel<false>>}) {
        in_flight.run = run;
        CHECK(check_variant(in_flight).value_or("") == "");
    }
    Variant<Histogram> one_launch = variant_named(kVariants, "one launch");
    for (const auto run : {launch_once<true, true>, launch_once<true, false>, launch_once<false, false>}) {
        one_launch.run = run;
        CHECK(check_variant(one_launch).value_or("") == "");
    }
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
    CHECK(check(few_blocks_kernel) == "");
    CHECK(check(in_flight_kernel<true>) == "");
    CHECK(check(in_flight_kernel<false>) == "");
    CHECK(check(copies_kernel<8>) == "");
    CHECK(check(copies_kernel<16>) == "");
    CHECK(check(copies_kernel<32>) == "");
}

TEST_CASE("a grid whose blocks could count past 32 bits is rejected") {
    for (const Variant<Histogram>& variant : kVariants)
        if (!variant.grid_follows_n) CHECK(counts_to_32_bits(variant, 2048 * 2 * sizeof(uint4)));
}

TEST_CASE("more blocks or bytes than an unfinished bin can count are rejected") {
    const Variant<Histogram>& one_launch = variant_named(kVariants, "one launch");
    const unsigned int most_blocks = (1u << 20) - 1;
    CHECK_FALSE(refuses(one_launch, 1000, most_blocks));
    CHECK(refuses(one_launch, 1000, most_blocks + 1));
    const std::size_t most_bytes = (std::size_t{1} << 44) - 1;
    CHECK_FALSE(refuses(one_launch, most_bytes, 1u << 14));
    CHECK(refuses(one_launch, most_bytes + 1, 1u << 14));
}

TEST_CASE("what clears a block's counters clears nothing else") {
    const DeviceBuffer<unsigned int> d_counts(kBins + 1);
    CUDA_CHECK(cudaMemset(d_counts.data(), 0x5A, d_counts.bytes()));
    clear_counts_kernel<<<1, 96>>>(d_counts.data(), kBins);
    CUDA_CHECK(cudaGetLastError());
    std::vector<unsigned int> expected(kBins, 0);
    expected.push_back(0x5A5A5A5Au);
    CHECK(d_counts.to_host() == expected);
}

TEST_CASE("more than 2^32 bytes are counted right") {
    if (!has_room_for<Histogram>(kLargeSizes[0])) return skip_check("needs a GPU with 3 GiB of free memory");
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_large(variant).value_or("") == "");
}

TEST_CASE("the first and the last of more than 2^32 bytes are used") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_far_elements(variant).value_or("") == "");
}

TEST_CASE("every size up to several vectors is right at every alignment") {
    for (const Variant<Histogram>& variant : kVariants)
        for (std::size_t n = 0; n < 70; ++n)
            for (std::size_t offset = 0; offset < 16; ++offset)
                REQUIRE(check_case(variant, {n, "uniform", offset, {0, 64}}).value_or("") == "");
}
