#include "../common/catch.hpp"
#include "../common/check_sum.cuh"
#include "kernels.cuh"

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const SumVariant& variant : variants()) CHECK(check_sum(variant).value_or("") == "");
}
