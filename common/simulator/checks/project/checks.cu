#include <string>
#include <vector>

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include "src/saxpy.cuh"

TEST_CASE("saxpy of 1000 elements") {
    std::vector<float> host(1000, 3);
    float *x = nullptr, *y = nullptr;
    REQUIRE(cudaMalloc(&x, 4000) == cudaSuccess);
    REQUIRE(cudaMalloc(&y, 4000) == cudaSuccess);
    REQUIRE(cudaMemcpy(x, host.data(), 4000, cudaMemcpyHostToDevice) == cudaSuccess);
    REQUIRE(cudaMemcpy(y, host.data(), 4000, cudaMemcpyHostToDevice) == cudaSuccess);
    REQUIRE(saxpy(1000, 2, x, y) == cudaSuccess);
    REQUIRE(cudaMemcpy(host.data(), y, 4000, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(host == std::vector<float>(1000, 9));
    // More elements than there are: the simulator names the line and the buffer.
    CHECK(saxpy(100000, 2, x, y) != cudaSuccess);
    const std::string said = sim::last_fault();
    CAPTURE(said);
    CHECK(said.find("saxpy.cu:5") != said.npos);
    CHECK(said.find("a buffer of 4000 bytes") != said.npos);
}
