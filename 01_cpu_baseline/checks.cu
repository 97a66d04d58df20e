/// @file
/// @brief Checks of chapter 01.
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/problem/cores.hpp"
#include "kernels.cuh"

TEST_CASE("every variant is right for every n, input, alignment and number of threads") {
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("the baseline that later chapters quote is also right") {
    const auto baseline = [](const unsigned char* data, std::size_t n, unsigned long long* bins,
                             unsigned long long*, LaunchShape) {
        const Bins counted = on_all_cores<Histogram>(data, n);
        std::copy(counted.begin(), counted.end(), bins);
    };
    CHECK(check_variant<Histogram>({.name = "baseline", .run = baseline, .on_cpu = true}).value_or("") == "");
}
