#include "../common/catch.hpp"
#include "../common/check_histogram.cuh"
#include "kernels.cuh"

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const HistogramVariant& variant : variants()) {
        if (variant.wrong_because != nullptr) continue;
        INFO(variant.name);
        CHECK(check_histogram(variant).value_or("") == "");
    }
}
