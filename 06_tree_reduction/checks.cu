/// @file
/// @brief Checks of chapter 06.
#include "../common/bench/variants.hpp"
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/checks/far_elements.cuh"
#include "broken/barrier_in_branch.cuh"
#include "broken/eight_cells.cuh"
#include "broken/half_a_warp.cuh"
#include "broken/no_barrier_in_tree.cuh"
#include "broken/no_first_barrier.cuh"
#include "kernels.cuh"

namespace {

/// A variant that launches a broken kernel as the chapter launches its own.
template <PartialsKernel* kKernel>
Variant<SumOfSquares> broken() {
    Variant<SumOfSquares> variant = variant_named(kVariants, "halves");
    variant.name = "broken";
    variant.run = sum_by_blocks<kKernel, 1>;
    return variant;
}

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const Variant<SumOfSquares>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("more than 2^31 ints add up right") {
    if (!has_room_for<SumOfSquares>(kLargeSizes[0]))
        return skip_check("needs a GPU with 25 GiB of free memory");
    for (const Variant<SumOfSquares>& variant : kVariants) CHECK(check_large(variant).value_or("") == "");
}

TEST_CASE("the first and the last of more than 2^32 ints are used") {
    if (!init_cuda().simulated) return skip_check("needs the simulator, which can leave out blocks");
    for (const Variant<SumOfSquares>& variant : kVariants)
        CHECK(check_far_elements(variant).value_or("") == "");
}

TEST_CASE("the first and the last of more than 2^32 values get through the tree in global memory") {
    if (!init_cuda().simulated) return skip_check("needs the simulator, which can leave out blocks");
    constexpr std::size_t kValues = (std::size_t{1} << 33) + 5;
    const auto data = check_detail::zeros_without_room<int>(kValues);
    const auto values = check_detail::zeros_without_room<unsigned long long>(kValues);
    for (std::size_t i = 0; i < 40; ++i) data[i] = data[kValues - 1 - i] = static_cast<int>(i);
    const check_detail::EndsOnly ends_only;
    // The values are in host memory, so the tree is complete when copying its root fails.
    CHECK_THROWS_AS(sum_global_tree(data.get(), kValues, nullptr, values.get(), {0, 1024}), CudaError);
    CHECK(values[0] == 2 * reference_sum(data.get(), 40));
}

TEST_CASE("a tree of halves is wrong for a block that is no power of two") {
    Variant<SumOfSquares> claims_too_much = variant_named(kVariants, "halves");
    claims_too_much.power_of_two_block = false;
    CHECK(check_variant(claims_too_much));
}

TEST_CASE("shared memory for 8 of the threads is found") {
    CHECK(check_variant(broken<eight_cells::kernel>()));
}

TEST_CASE("a shuffle that leaves half of the warp out is found") {
    CHECK(check_variant(broken<half_a_warp::kernel>()));
}

TEST_CASE("a missing barrier between levels is found", "[order]") {
    CHECK(check_variant(broken<no_barrier_in_tree::kernel>()));
}

TEST_CASE("a missing barrier before the tree is found", "[order]") {
    CHECK(check_variant(broken<no_first_barrier::kernel>()));
}

TEST_CASE("a barrier that threads leave out is found, unless they are said to return early", "[order]") {
    Variant<SumOfSquares> variant = broken<barrier_in_branch::kernel>();
    CHECK(check_variant(variant).value_or("").find("barrier left out: threads 0-127 wait at ") !=
          std::string::npos);
    variant.early_exit = true;
    CHECK(check_variant(variant).value_or("") == "");
}
