/// @file
/// @brief Checks of chapter 01.
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/problem/cores.hpp"
#include "broken/dropped_tail.cuh"
#include "broken/no_zeroing.cuh"
#include "broken/shared_table.cuh"
#include "kernels.cuh"

namespace {

Variant<Histogram> on_cpu(Variant<Histogram>::Run* run) {
    return {.name = "broken", .run = run, .on_cpu = true};
}

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and number of threads") {
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("the baseline that later chapters quote is right, too") {
    const auto baseline = [](const unsigned char* data, std::size_t n, unsigned long long* bins,
                             unsigned long long*, LaunchShape) {
        const Bins counted = on_all_cores<Histogram>(data, n);
        std::copy(counted.begin(), counted.end(), bins);
    };
    CHECK(check_variant(on_cpu(baseline)).value_or("") == "");
}

TEST_CASE("a dropped tail is found") { CHECK(check_variant(on_cpu(dropped_tail::histogram))); }

TEST_CASE("bins that are not zeroed are found") { CHECK(check_variant(on_cpu(no_zeroing::histogram))); }

TEST_CASE("a table that all threads share is found", "[race]") {
    CHECK(check_variant(on_cpu(shared_table::histogram)));
}
