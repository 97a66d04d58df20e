/// @file
/// @brief Checks of chapter 03.
#include "../common/bench/variants.hpp"
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/checks/counts_past_32_bits.cuh"
#include "../common/checks/far_elements.cuh"
#include "atomic_cost.cuh"
#include "kernels.cuh"
#include "levels.cuh"

namespace {

using Kernel = void(const unsigned char*, std::size_t, unsigned long long*);

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("bins count past 2^32") {
    const std::size_t shared_bytes = kBlock / 32 * kBins * sizeof(unsigned int);
    const auto check = [&](Kernel* kernel, unsigned int bins) {
        return check_counts_past_32_bits(
                   bins,
                   [&](const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
                       kernel<<<7, kBlock, shared_bytes>>>(d_data, n, d_bins);
                   })
            .value_or("");
    };
    CHECK(check(article_kernel, kBins) == "");
    CHECK(check(any_block_kernel, kBins) == "");
    CHECK(check(warp_private_kernel, kBins) == "");
    CHECK(check(register_kernel, kFewBins) == "");
    CHECK(check(indexed_kernel, kFewBins) == "");
}

TEST_CASE("a grid whose blocks could count past 32 bits is rejected") {
    const std::size_t large = std::size_t{1} << 33;
    CHECK_NOTHROW(require_32_bit_counters(large, 3, 256));
    CHECK_THROWS_AS(require_32_bit_counters(large, 2, 256), std::invalid_argument);
    for (const Variant<Histogram>& variant : kVariants)
        CHECK(counts_to_32_bits(variant, variant.only_block != 0 ? kBins : 2048));
    const DeviceBuffer<unsigned long long> d_bins(8);
    for (const Level level : {Level::registers, Level::shared})
        CHECK_THROWS_AS(histogram_at_level(level, nullptr, large, 8, d_bins.data(), {1, 256}),
                        std::invalid_argument);
    CHECK_THROWS_AS(histogram_at_level(Level::global, nullptr, large, 8, d_bins.data(), {1, 2048}),
                    CudaError);
}

TEST_CASE("more than 2^32 bytes are counted right") {
    if (!has_room_for<Histogram>(kLargeSizes[0])) return skip_check("needs a GPU with 3 GiB of free memory");
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_large(variant).value_or("") == "");
}

TEST_CASE("the first and the last of more than 2^32 bytes are used") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_far_elements(variant).value_or("") == "");
}

TEST_CASE("every level with room for the bins counts the same as the plain loop") {
    const std::size_t most = most_shared_bins();
    for (const std::size_t bins :
         {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{8}, std::size_t{9}, std::size_t{256},
          std::size_t{1000}, std::size_t{12288}, std::size_t{12289}, most, most + 1, std::size_t{65536},
          std::size_t{1000003}}) {
        for (const std::size_t n : {0, 1, 33, 100003}) {
            const std::vector<unsigned char> bytes = big_random_block(n * sizeof(unsigned int), bins);
            std::vector<unsigned int> keys(n);
            std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(keys.data()));
            const auto bin_count = static_cast<unsigned int>(bins);
            const Bins expected = reference_keys(keys.data(), n, bin_count);
            const DeviceBuffer<unsigned int> d_keys(n);
            const DeviceBuffer<unsigned long long> d_bins(bins);
            if (n > 0)
                CUDA_CHECK(cudaMemcpy(d_keys.data(), keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
            for (const Level level : {Level::registers, Level::shared, Level::global}) {
                if (level < level_for(bin_count)) continue;
                for (const LaunchShape shape : {LaunchShape{}, LaunchShape{3, 96}, LaunchShape{1, 1}}) {
                    if (shape.block == 1 && n > 1000) continue;
                    histogram_at_level(level, d_keys.data(), n, bin_count, d_bins.data(), shape);
                    INFO(name_of(level) << ", " << bins << " bins, n = " << n);
                    REQUIRE(verify_one_by_one(d_bins.to_host(), expected).value_or("") == "");
                }
            }
        }
    }
}

namespace {

/// Keys in eight bins, in the form that `check_far_elements` expects of a problem.
struct Keys {
    using Element = unsigned int;
    static constexpr std::size_t kResults = kFewBins;
    static void add(Results& bins, Element key, std::size_t count) { bins[bin_of(key, kFewBins)] += count; }
};

template <Level kLevel>
void count_keys(const unsigned int* d_keys, std::size_t n, unsigned long long* d_bins, unsigned long long*,
                LaunchShape shape) {
    histogram_at_level(kLevel, d_keys, n, kFewBins, d_bins, shape);
}

}  // namespace

TEST_CASE("the first and the last of more than 2^32 keys are used") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    for (const auto run :
         {count_keys<Level::registers>, count_keys<Level::shared>, count_keys<Level::global>})
        CHECK(check_far_elements<Keys>({.name = "keys", .run = run}).value_or("") == "");
}

TEST_CASE("keys are spread over the bins in order") {
    CHECK(bin_of(0x55555555, 3) == 0);
    CHECK(bin_of(0x55555556, 3) == 1);
    CHECK(bin_of(0xaaaaaaaa, 3) == 1);
    CHECK(bin_of(0xaaaaaaab, 3) == 2);
    CHECK(bin_of(0xffffffff, 3) == 2);
}

TEST_CASE("the level follows from the number of bins, and a level without room is rejected") {
    CHECK(level_for(8) == Level::registers);
    CHECK(level_for(9) == Level::shared);
    CHECK(level_for(most_shared_bins()) == Level::shared);
    CHECK(level_for(most_shared_bins() + 1) == Level::global);
    CHECK(most_shared_bins() == most_shared_bytes() / 4);
    CHECK_THROWS_AS(histogram_at_level(Level::registers, nullptr, 0, 9, nullptr), std::invalid_argument);
    CHECK_THROWS_AS(histogram_at_level(Level::global, nullptr, 0, 0, nullptr), std::invalid_argument);
}

TEST_CASE("the atomics whose cost is measured lose nothing") {
    const DeviceBuffer<unsigned int> d_cells(3 * kCells);
    for (const unsigned int cells : {1u, 32u, kCells}) {
        for (const bool shared : {false, true}) {
            CUDA_CHECK(cudaMemset(d_cells.data(), 0, d_cells.bytes()));
            if (shared) {
                throughput_kernel<true><<<3, kCells>>>(d_cells.data(), cells);
            } else {
                throughput_kernel<false><<<3, kCells>>>(d_cells.data(), cells);
            }
            CUDA_CHECK(cudaGetLastError());
            CHECK(sum_of_cells(d_cells) == 3ull * kCells * kAdditions);
        }
    }
}

TEST_CASE("the article's kernel is wrong for any block but 256") {
    Variant<Histogram> claims_too_much = variant_named(kVariants, "article");
    REQUIRE(claims_too_much.only_block == kBins);
    claims_too_much.only_block = 0;
    CHECK(check_variant(claims_too_much));
}
