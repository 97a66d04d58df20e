/// @file
/// @brief Checks of chapter 07.
#include "../common/bench/variants.hpp"
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/checks/far_elements.cuh"
#include "kernels.cuh"

namespace {

/// Shuffles with one kind of loads, whatever n is.
template <bool kStreaming>
void sum_by_shuffles(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                     LaunchShape shape) {
    clear_sum(d_sum);
    shuffles_kernel<kStreaming><<<shape.grid_or(3), shape.block_or(kWideBlock)>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

/// The last block's work, after all blocks but those that run in `EndsOnly` have drawn their tickets.
void sum_in_last_of_four_blocks(const int* d_data, std::size_t n, unsigned long long* d_sum,
                                unsigned long long* d_workspace, LaunchShape shape) {
    const unsigned long long drawn = shape.grid - 4;
    CUDA_CHECK(cudaMemcpy(d_workspace, &drawn, sizeof(drawn), cudaMemcpyHostToDevice));
    sum_last_block(d_data, n, d_sum, d_workspace, shape);
}

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const Variant<SumOfSquares>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("every n from 0 to 1025 is right") {
    for (const Variant<SumOfSquares>& variant : kVariants)
        for (std::size_t n = 0; n <= 1025; ++n)
            REQUIRE(check_case(variant, {n, "random", n % 4, {}, 1}).value_or("") == "");
}

TEST_CASE("both kinds of loads are right") {
    Variant<SumOfSquares> shuffles = variant_named(kVariants, "shuffles");
    for (const auto run : {sum_by_shuffles<true>, sum_by_shuffles<false>}) {
        shuffles.run = run;
        CHECK(check_variant(shuffles).value_or("") == "");
    }
}

TEST_CASE("a lone block and the grid that follows it are right where one takes over from the other") {
    const Variant<SumOfSquares>& lone_block = variant_named(kVariants, "a lone block");
    for (const std::size_t n : {kFew - 1, kFew, kFew + 1})
        for (const unsigned int block : {0u, 32u, 1024u})
            CHECK(check_case(lone_block, {n, "random", 1, {0, block}, 1}).value_or("") == "");
}

TEST_CASE("the default grid fills the device, unless that is more threads than there is work for") {
    CHECK(fitting_grid(std::size_t{1} << 32, {}, 1) == resident_blocks(kBlock));
    CHECK(fitting_grid(1201, {0, 100}, 4) == 4);
    CHECK(fitting_grid(1201, {7, 100}, 4) == 7);
}

TEST_CASE("more than 2^31 ints add up right") {
    if (!has_room_for<SumOfSquares>(kLargeSizes[0]))
        return skip_check("needs a GPU with 25 GiB of free memory");
    for (const Variant<SumOfSquares>& variant : kVariants) CHECK(check_large(variant).value_or("") == "");
}

TEST_CASE("the first and the last of more than 2^32 ints are used") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    for (const Variant<SumOfSquares>& variant : kVariants)
        CHECK(check_far_elements(variant).value_or("") == "");
    Variant<SumOfSquares> last_block = variant_named(kVariants, "last block");
    last_block.run = sum_in_last_of_four_blocks;
    last_block.zeroed_workspace = false;
    CHECK(check_far_elements(last_block).value_or("") == "");
}
