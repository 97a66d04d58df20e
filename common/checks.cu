#include "catch.hpp"
TEST_CASE("placeholder") {
    CHECK(true);
}
