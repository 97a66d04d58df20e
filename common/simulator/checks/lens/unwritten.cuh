/// @file
/// @brief Checks that the lens finds reads of device memory that was never written, and no other reads.
#pragma once

#include <nccl.h>

#include <cstddef>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "seen.hpp"

namespace unwritten_checks {

using lens_checks::seen;

__global__ void store_kernel(unsigned int* d_to) { d_to[threadIdx.x] = 1; }
__global__ void copy_kernel(const unsigned int* d_from, unsigned int* d_to) {
    d_to[threadIdx.x] = d_from[threadIdx.x];
}

TEST_CASE("a read of device memory that neither the host nor a kernel has written is found") {
    const DeviceBuffer<unsigned int> d_from(32), d_to(32), d_last(32);
    CHECK(seen([&] { copy_kernel<<<1, 32>>>(d_from.data(), d_to.data()); }).has_unwritten());
    CUDA_CHECK(cudaMemset(d_from.data(), 0, d_from.bytes()));
    CHECK_FALSE(seen([&] {
                    copy_kernel<<<1, 32>>>(d_from.data(), d_to.data());
                    copy_kernel<<<1, 32>>>(d_to.data(), d_last.data());
                }).has_unwritten());
}

/// One thread clears an array of shared memory, and copies the first bytes of it.
__global__ void clear_and_copy_kernel(unsigned int* d_to, std::size_t cleared, std::size_t copied) {
    __shared__ unsigned int values[32];
    if (threadIdx.x != 0) return;
    memset(values, 0, cleared);
    memcpy(d_to, values, copied);
}

TEST_CASE("what memset has written is written, and memcpy reads what it copies") {
    const DeviceBuffer<unsigned int> d_to(32);
    const auto seen_of = [&](unsigned int blocks, std::size_t cleared, std::size_t copied) {
        return seen([&] { clear_and_copy_kernel<<<blocks, 32>>>(d_to.data(), cleared, copied); });
    };
    CHECK_FALSE(seen_of(1, 128, 128).has_unwritten());
    CHECK_FALSE(seen_of(1, 124, 124).has_unwritten());
    CHECK(seen_of(1, 124, 128).has_unwritten());
    CHECK_FALSE(seen_of(1, 128, 128).has_race());
    CHECK(seen_of(2, 128, 128).has_race());
}

TEST_CASE("the sums of an all-reduce are written, and no other numbers") {
    ncclComm_t communicator = nullptr;
    REQUIRE(ncclCommInitAll(&communicator, 1, nullptr) == ncclSuccess);
    for (const unsigned int bytes : {128u, 120u}) {
        const DeviceBuffer<unsigned int> d_from(32), d_sums(32), d_to(32);
        CUDA_CHECK(cudaMemset(d_from.data(), 0, d_from.bytes()));
        REQUIRE(ncclAllReduce(d_from.data(), d_sums.data(), bytes / 8, ncclUint64, ncclSum, communicator,
                              nullptr) == ncclSuccess);
        CUDA_CHECK(cudaDeviceSynchronize());
        CHECK(seen([&] { copy_kernel<<<1, 32>>>(d_sums.data(), d_to.data()); }).has_unwritten() ==
              (bytes < 128));
    }
    CHECK(ncclCommDestroy(communicator) == ncclSuccess);
}

TEST_CASE("managed memory, where the host stores unseen, counts as written") {
    static unsigned int* numbers;  // among the program's data, as a __device__ variable is
    CUDA_CHECK(cudaMallocManaged(&numbers, std::size_t{16} << 20));
    const DeviceBuffer<unsigned int> d_to(32);
    for (unsigned int i = 0; i < 32; ++i) numbers[i] = i;
    CHECK_FALSE(seen([&] { copy_kernel<<<1, 32>>>(numbers, d_to.data()); }).has_unwritten());
    CUDA_CHECK(cudaFree(numbers));
}

/// Whether the lens reports a copy of unwritten numbers to the host: `count` of 64, from `first` on. A kernel
/// stores numbers 0 to 30, and cudaMemset sets 32 to 63: to the value of poison if `poisoned`.
bool finds_copy(std::size_t first, std::size_t count, bool poisoned) {
    const DeviceBuffer<unsigned int> d_numbers(64), d_copy(64);
    static unsigned int numbers[64];  // among the program's data, as a __device__ variable is
    CUDA_CHECK(cudaMemset(d_numbers.data() + 32, poisoned ? 0xA5 : 0, 32 * sizeof(numbers[0])));
    return seen([&] {
               store_kernel<<<1, 31>>>(d_numbers.data());
               CUDA_CHECK(
                   cudaMemcpy(d_copy.data(), d_numbers.data(), d_numbers.bytes(), cudaMemcpyDeviceToDevice));
               CUDA_CHECK(cudaMemcpy(numbers, d_copy.data() + first, count * sizeof(numbers[0]),
                                     cudaMemcpyDeviceToHost));
           })
        .has(lens::Problem::copied);
}

TEST_CASE("a copy to the host of a number that was never written is found, by way of another copy too") {
    CHECK_FALSE(finds_copy(0, 31, false));
    CHECK(finds_copy(0, 32, false));
    CHECK_FALSE(finds_copy(32, 32, false));
    CHECK(finds_copy(32, 32, true));
}

}  // namespace unwritten_checks
