/// @file
/// @brief Checks of chapter 01.
#include "../common/checks/catch.hpp"
#include "../common/checks/check_histogram.cuh"
#include "../common/problem/cpu_baseline.hpp"
#include "broken/dropped_tail.cuh"
#include "broken/no_zeroing.cuh"
#include "broken/shared_table.cuh"
#include "kernels.cuh"

namespace {

HistogramVariant on_cpu(const char* name, HistogramFunction* run) {
    HistogramVariant variant{name, "", run};
    variant.on_cpu = true;
    return variant;
}

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and number of threads") {
    for (const HistogramVariant& variant : variants()) CHECK(check_histogram(variant).value_or("") == "");
}

TEST_CASE("the baseline that later chapters quote is right, too") {
    const auto baseline =
        on_cpu("baseline", [](const unsigned char* data, std::size_t n, unsigned long long* bins,
                              LaunchShape) { histogram_on_all_cores(data, n, bins); });
    CHECK(check_histogram(baseline).value_or("") == "");
}

TEST_CASE("a dropped tail is found") { CHECK(check_histogram(on_cpu("broken", dropped_tail::histogram))); }

TEST_CASE("bins that are not zeroed are found") {
    CHECK(check_histogram(on_cpu("broken", no_zeroing::histogram)));
}

TEST_CASE("a table that all threads share is found", "[race]") {
    CHECK(check_histogram(on_cpu("broken", shared_table::histogram)));
}
