/// @file
/// @brief Checks of chapter 06.
#include "../common/bench/variants.hpp"
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/checks/far_elements.cuh"
#include "../common/checks/far_memory.hpp"
#include "kernels.cuh"

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const Variant<SumOfSquares>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
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
}

TEST_CASE("the first and the last of more than 2^32 values get through the tree in global memory") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    constexpr std::size_t kValues = (1ull << 33) + 5;
    const auto data = check_detail::zeros_without_room<int>(kValues);
    const auto values = check_detail::zeros_without_room<unsigned long long>(kValues);
    for (std::size_t i = 0; i < 40; ++i) data[i] = data[kValues - 1 - i] = static_cast<int>(i);
    const check_detail::EndsOnly ends_only;
    // The values are in host memory, so the tree is complete when copying its root fails.
    CHECK_THROWS_AS(sum_global_tree(data.get(), kValues, nullptr, values.get(), {0, 1024}), CudaError);
    CHECK(values[0] == 2 * reference_sum(data.get(), 40));
}

TEST_CASE("a tree of halves is wrong for a block size that is not a power of two") {
    Variant<SumOfSquares> claims_too_much = variant_named(kVariants, "halves");
    claims_too_much.power_of_two_block = false;
    CHECK(check_variant(claims_too_much));
}
