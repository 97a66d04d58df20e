/// @file
/// @brief Checks of what a kernel may rely on: indices, clocks and vectors.
#pragma once

#include <cstdint>
#include <ctime>
#include <numeric>
#include <type_traits>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"

namespace kernel_checks {

template <typename T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
    DeviceBuffer<T> buffer(host.size());
    CUDA_CHECK(cudaMemcpy(buffer.data(), host.data(), buffer.bytes(), cudaMemcpyHostToDevice));
    return buffer;
}

template <typename T>
DeviceBuffer<T> zeros(std::size_t count) {
    return on_device(std::vector<T>(count));
}

__global__ void visit_kernel(unsigned int* d_visits) {
    const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    atomicAdd(&d_visits[block * blockDim.x * blockDim.y * blockDim.z + thread], 1u);
}

TEST_CASE("every index of a grid and a block of three dimensions is visited once") {
    const dim3 shapes[] = {1, 7, 64, {3, 2}, {1, 5, 1}, {2, 3, 4}, {1, 1, 6}, {33, 1, 2}, {4, 2}};
    for (const dim3& grid : shapes) {
        for (const dim3& block : shapes) {
            const std::size_t threads = std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
            const auto visits = zeros<unsigned int>(threads);
            visit_kernel<<<grid, block>>>(visits.data());
            CHECK(cudaGetLastError() == cudaSuccess);
            CHECK(visits.to_host() == std::vector<unsigned int>(threads, 1));
        }
    }
}

TEST_CASE("a block has up to 1024 threads, and a grid many more blocks than workers") {
    for (const dim3& block : {dim3(1024), dim3(1, 1024), dim3(16, 1, 64), dim3(32, 32)}) {
        const auto visits = zeros<unsigned int>(999 * 1024);
        visit_kernel<<<999, block>>>(visits.data());
        CHECK(visits.to_host() == std::vector<unsigned int>(999 * 1024, 1));
    }
}

__global__ void clock_kernel(long long* d_ticks, int* d_cell) {
    const long long start = clock64();
    const clock_t start_short = clock();
    for (int i = 0; i < 1000; ++i) atomicAdd(d_cell, 1);
    d_ticks[0] = clock64() - start;
    d_ticks[1] = clock() - start_short;
}

TEST_CASE("clock and clock64 advance while a thread works") {
    const auto ticks = zeros<long long>(2);
    const auto cell = zeros<int>(1);
    clock_kernel<<<1, 1>>>(ticks.data(), cell.data());
    CHECK(ticks.to_host()[0] > 0);
    CHECK(ticks.to_host()[1] > 0);
}

TEST_CASE("outside of kernels, clock is the CPU time of the process") {
    const auto microseconds = [] {
        timespec used{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        return used.tv_sec * 1'000'000 + used.tv_nsec / 1000;
    };
    const long before = microseconds();
    const long ticks = clock();
    CHECK(before <= ticks);
    CHECK(ticks <= microseconds());
}

template <typename T>
constexpr bool has_layout(std::size_t size, std::size_t alignment) {
    return sizeof(T) == size && alignof(T) == alignment;
}

TEST_CASE("vector types have CUDA's sizes and alignments") {
    CHECK((has_layout<uchar1>(1, 1) && has_layout<uchar2>(2, 2)));
    CHECK((has_layout<uchar3>(3, 1) && has_layout<uchar4>(4, 4) && has_layout<char4>(4, 4)));
    CHECK((has_layout<short2>(4, 4) && has_layout<ushort4>(8, 8)));
    CHECK((has_layout<int2>(8, 8) && has_layout<int3>(12, 4) && has_layout<int4>(16, 16)));
    CHECK((has_layout<uint1>(4, 4) && has_layout<uint2>(8, 8) && has_layout<uint4>(16, 16)));
    CHECK((has_layout<longlong2>(16, 16) && has_layout<ulonglong2>(16, 16)));
    CHECK((has_layout<float2>(8, 8) && has_layout<float3>(12, 4) && has_layout<float4>(16, 16)));
    CHECK((has_layout<double1>(8, 8) && has_layout<double2>(16, 16) && has_layout<double3>(24, 8)));
    CHECK((has_layout<dim3>(12, 4) && dim3(5).y == 1 && dim3(5).z == 1));
    const float3 vector = make_float3(1, 2, 3);
    CHECK((vector.x == 1 && vector.y == 2 && vector.z == 3));
}

__global__ void wide_copy_kernel(const uint4* d_from, uint4* d_to) {
    d_to[threadIdx.x] = __ldcs(&d_from[threadIdx.x]);
}

TEST_CASE("a 16-byte load takes four numbers at once") {
    std::vector<unsigned int> data(4 * 32);
    std::iota(data.begin(), data.end(), 0u);
    const auto from = on_device(data), to = zeros<unsigned int>(data.size());
    wide_copy_kernel<<<1, 32>>>(reinterpret_cast<const uint4*>(from.data()),
                                reinterpret_cast<uint4*>(to.data()));
    CHECK(to.to_host() == data);
}

}  // namespace kernel_checks
