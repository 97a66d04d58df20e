/// @file
/// @brief Checks of what the lens knows about a launch: its kernel's name, its memory, barriers and calls,
/// which blocks are counted, and which of many findings is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "../../grid/device.hpp"
#include "seen.hpp"

namespace launch_checks {

using lens_checks::Seen;
using lens_checks::seen;

template <typename T, int kNumber>
__global__ void template_kernel(T* d_data) {
    if (kNumber > 8) d_data[threadIdx.x] = T{};
}

template <typename A, typename B>
struct Two {};
/// A kernel whose template argument has brackets within brackets, and then parentheses.
template <typename T>
__global__ void nested_argument_kernel(int* d_data) {
    d_data[threadIdx.x] = static_cast<int>(sizeof(T));
}

namespace {
__global__ void unnamed_kernel(int* d_data) { d_data[threadIdx.x] = 0; }
}  // namespace

TEST_CASE("a kernel is named with its template arguments") {
    const DeviceBuffer<int> d_data(32);
    const auto name = [&](const auto& launch) {
        seen(launch);
        return lens::the_lens().launches().front().first.kernel;
    };
    CHECK(name([&] { template_kernel<int, (9 > 8)><<<1, 32>>>(d_data.data()); }) ==
          "launch_checks::template_kernel<int, 1>");
    std::string nested =
        name([&] { nested_argument_kernel<Two<Two<int, int>, void (*)(int)>><<<1, 32>>>(d_data.data()); });
    std::erase(nested, ' ');  // only some compilers print spaces
    CHECK(nested ==
          "launch_checks::nested_argument_kernel<launch_checks::Two<launch_checks::Two<int,int>,void(*)(int)>"
          ">");
    CHECK(name([&] { unnamed_kernel<<<1, 32>>>(d_data.data()); }) ==
          "launch_checks::(anonymous namespace)::unnamed_kernel");
}

__global__ void two_buffers_kernel(const int* d_from, int* d_to) {
    d_to[threadIdx.x] = d_from[threadIdx.x] + d_from[0];
}

TEST_CASE("the different sectors of all buffers add up over launches") {
    const DeviceBuffer<int> d_from(64), d_to(64);
    CUDA_CHECK(cudaMemset(d_from.data(), 0, d_from.bytes()));
    const Seen twice = seen([&] {
        for (int i = 0; i < 2; ++i) two_buffers_kernel<<<1, 64>>>(d_from.data(), d_to.data());
    });
    CHECK(twice.counts.launches == 0);  // launches are counted per shape
    REQUIRE(lens::the_lens().launches().size() == 1);
    CHECK(lens::the_lens().launches().front().second.launches == 2);
    CHECK(lens::the_lens().launches().front().second.touched == 2 * 16);
    CHECK(lens::the_lens().launches().front().second.blocks == 2);
}

TEST_CASE("launches take turns in the first one's stream if the host makes them, and not a graph") {
    const DeviceBuffer<int> d_from(64), d_to(64);
    CUDA_CHECK(cudaMemset(d_from.data(), 0, d_from.bytes()));
    cudaStream_t other;
    CUDA_CHECK(cudaStreamCreate(&other));
    seen([&] {
        for (const int how : {0, 1, 2, 0}) {
            sim::launching_together += how == 2 ? 1 : 0;  // as in cudaGraphLaunch
            two_buffers_kernel<<<1, 64, 0, how == 1 ? other : nullptr>>>(d_from.data(), d_to.data());
            CUDA_CHECK(cudaDeviceSynchronize());
            sim::launching_together = 0;
        }
    });
    CUDA_CHECK(cudaStreamDestroy(other));
    REQUIRE(lens::the_lens().launches().size() == 1);
    CHECK(lens::the_lens().launches().front().second.launches == 4);
    CHECK(lens::the_lens().launches().front().second.in_one_stream == 2);
}

/// In each of three rounds, warp 0 loads twice and warp 1 once.
__global__ void uneven_kernel(const int* d_data, int* d_sums) {
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        sum += d_data[threadIdx.x];
        if (threadIdx.x < 32) sum += d_data[threadIdx.x + 1];
        __syncthreads();
    }
    d_sums[threadIdx.x] = sum;
}

TEST_CASE("a barrier's counts include how many requests of one warp the others have waited for") {
    const DeviceBuffer<int> d_data(64), d_sums(64);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    const Seen all = seen([&] { uneven_kernel<<<5, 64>>>(d_data.data(), d_sums.data()); });
    REQUIRE(all.counts.barriers.size() == 1);
    const lens::BarrierCounts& barrier = all.counts.barriers.begin()->second;
    CHECK(barrier.count == 5 * 3);
    CHECK(barrier.requests == 5 * 3 * 3);
    CHECK(barrier.most_requests == 5 * 3 * 4);
    CHECK_FALSE(barrier.was_partial);
    const Seen one = seen([&] { uneven_kernel<<<1, 32>>>(d_data.data(), d_sums.data()); });
    CHECK(one.counts.barriers.begin()->second.requests == 3 * 2);  // the block has one warp
}

/// Each warp adds to a counter of its own, and the last warp also to the first warp's. One thread of
/// block i loads i numbers.
__global__ void shares_kernel(const int* d_data, int* d_sums) {
    __shared__ int counts[4];
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[threadIdx.x / 32], 1);
    if (threadIdx.x / 32 == 3) atomicAdd(&counts[0], 1);
    if (threadIdx.x != 64) return;
    for (unsigned int i = 0; i < blockIdx.x; ++i) atomicCAS(&d_sums[0], d_data[i], 1);
}

TEST_CASE("the lens knows the busiest thread, which counters warps share, and each atomicCAS") {
    const DeviceBuffer<int> d_data(16), d_sums(1);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    CUDA_CHECK(cudaMemset(d_sums.data(), 0, d_sums.bytes()));
    const Seen all = seen([&] { shares_kernel<<<11, 128>>>(d_data.data(), d_sums.data()); });
    CHECK(all.counts.busiest_thread == 1 + 2 * 10);
    CHECK(all.counts.busiest_block == 4 * 10);
    CHECK(all.counts.to_other_warps == 32 * 11);
    CHECK(all.counts.swaps == 10 * 11 / 2);
}

__global__ void idle_kernel() {}

TEST_CASE("nothing is counted for a kernel that accesses nothing") {
    const Seen all = seen([] { idle_kernel<<<2, 32>>>(); });
    CHECK(all.counts.blocks == 2);
    CHECK(all.counts.busiest_thread == 0);
    CHECK(all.global_loads().most_lanes_on_address == 0);
    CHECK(lens::most(all.counts.atomics) == 0);
}

/// Between two barriers, each lane repeats the inner loop 0, 7 or 14 times, without an access.
__global__ void computing_kernel(float* d_values) {
    float value = static_cast<float>(threadIdx.x);
    for (unsigned int round = 0; round < 2; ++round) {
        for (unsigned int k = 0; k < 7 * ((threadIdx.x + round) % 3); ++k) value = value * 0.5f + 1.0f;
        __syncthreads();
    }
    d_values[threadIdx.x] = value;
}

#ifndef __wasm__  // where basic blocks are not counted
TEST_CASE("a warp executes code without accesses as often as its busiest lane until the lanes meet") {
    const DeviceBuffer<float> d_values(64);
    for (const unsigned int launches : {1u, 2u}) {
        const Seen all = seen([&] {
            for (unsigned int i = 0; i < launches; ++i) computing_kernel<<<5, 64>>>(d_values.data());
        });
        const auto is_inner_loop = [=](const auto& block) {
            const auto& [warps, lanes] = block.second;
            return warps == launches * 5 * 2 * (14 + 14) &&
                   lanes == launches * 5 * 7 * (21 * (1 + 3 + 2) + 1);
        };
        CHECK(std::ranges::any_of(all.counts.code, is_inner_loop));
    }
}
#endif

TEST_CASE("between two meetings, a warp executes a basic block as often as its busiest lane") {
    lens::Code code;
    for (const unsigned int thread : {0u, 1u, 1u, 1u, 32u}) code.reach(thread, 4096);
    code.reach(31, 4160);
    code.meet(0);
    code.reach(0, 4096);
    for (const unsigned int warp : {0u, 1u}) code.meet(warp);
    const lens::CodeCounts counts = code.counts();
    REQUIRE(counts.size() == 2);
    CHECK(counts.at(4096).warps == 3 + 1 + 1);
    CHECK(counts.at(4096).lanes == 4 + 1 + 1);
    CHECK(counts.at(4160).warps == 1);
    CHECK(counts.at(4160).lanes == 1);
}

/// A race on one line between as many threads and blocks as the arguments say.
__global__ void near_and_far_kernel(int* d_data, unsigned int threads, unsigned int blocks) {
    if (threadIdx.x < threads && blockIdx.x < blocks)
        d_data[0] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x + 1);
}

TEST_CASE("a race is reported with the two threads that are farthest apart") {
    const DeviceBuffer<int> d_data(2);
    const auto distance = [&](unsigned int threads, unsigned int blocks) {
        const Seen all = seen([&] { near_and_far_kernel<<<2, 64>>>(d_data.data(), threads, blocks); });
        return all.findings.empty() ? -1 : all.findings.front().distance();
    };
    CHECK(distance(1, 1) == -1);
    CHECK(distance(2, 1) == 0);
    CHECK(distance(64, 1) == 1);
    CHECK(distance(64, 2) == 2);
    CHECK(distance(1, 2) == 2);
    const Seen all = seen([&] {
        for (const unsigned int count : {2u, 1u})
            near_and_far_kernel<<<2, 64>>>(d_data.data() + 1, count == 2 ? 64 : 2, count);
    });
    REQUIRE(all.findings.size() == 1);
    CHECK(all.findings.front().address == reinterpret_cast<const char*>(d_data.data() + 1));
    CHECK(all.findings.front().distance() == 2);
    CHECK(all.findings.front().count == 64 * 2 - 1 + 1);
}

__device__ unsigned int named_tickets;
__global__ void named_kernel(unsigned int* d_numbers, char* d_bytes, char* d_later) {
    __shared__ short cells[64];
    cells[5] = static_cast<short>(threadIdx.x);
    d_numbers[7] = threadIdx.x;
    d_bytes[-1] = d_bytes[1] = d_later[7] = static_cast<char>(threadIdx.x);
    named_tickets = threadIdx.x;
}

TEST_CASE("findings name the element of the kernel's parameter or of shared memory, and variables") {
    const DeviceBuffer<unsigned int> d_numbers(16);
    const DeviceBuffer<char> d_bytes(16);
    const Seen all =
        seen([&] { named_kernel<<<1, 64>>>(d_numbers.data(), d_bytes.data() + 2, d_bytes.data() + 4); });
    std::vector<std::string> names;
    for (const lens::Finding& finding : all.findings) names.push_back(finding.where);
    std::sort(names.begin(), names.end());
    REQUIRE(names.size() == 6);
    CHECK(names[0] == "cells[5]");
    CHECK(names[1] == "d_bytes[-1]");
    CHECK(names[2] == "d_bytes[1]");
    CHECK(names[3] == "d_later[7]");
    CHECK(names[4] == "d_numbers[7]");
    CHECK(names[5].ends_with("named_tickets"));
}

TEST_CASE("the finding about a copy of memory that was never written says where the unwritten bytes begin") {
    const DeviceBuffer<char> d_data(64);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, 40));
    std::vector<char> data(64);
    const Seen all = seen(
        [&] { CUDA_CHECK(cudaMemcpy(data.data() + 10, d_data.data() + 10, 54, cudaMemcpyDeviceToHost)); });
    REQUIRE(all.findings.size() == 1);
    CHECK(all.findings.front().problem == lens::Problem::copied);
    CHECK(all.findings.front().is_partly_written);
    CHECK(all.findings.front().address == d_data.data() + 40);
    const Seen rest =
        seen([&] { CUDA_CHECK(cudaMemcpy(data.data(), d_data.data() + 40, 24, cudaMemcpyDeviceToHost)); });
    REQUIRE(rest.findings.size() == 1);
    CHECK_FALSE(rest.findings.front().is_partly_written);
}

__global__ void one_store_kernel(int* d_data) {
    if (threadIdx.x == 0) d_data[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = 1;
}

TEST_CASE("with more than 32 MiB of device memory, one block in 16 is counted") {
    const DeviceBuffer<int> d_results(128);
    const auto sample = [&](dim3 blocks) {
        const Seen all = seen([&] { one_store_kernel<<<blocks, 32>>>(d_results.data()); });
        CHECK(all.sum(lens::Space::global, lens::Kind::store).requests == blocks.x * blocks.y * blocks.z);
        return all.counts.sample;
    };
    // The program's variables are counted, too.
    const DeviceBuffer<char> d_half(16 << 20), d_almost(12 << 20);
    CHECK(sample({8, 4, 4}) == 1);
    const DeviceBuffer<char> d_rest(4 << 20);
    CHECK(sample({8, 4, 4}) == 16);
    CHECK(sample({128, 1, 1}) == 16);
    CHECK(sample({127, 1, 1}) == 1);
    CHECK(sample({1, 1, 127}) == 1);
}

__global__ void dynamic_kernel(int* d_data, int writer) {
    extern __shared__ int values[];
    if (writer >= 0) values[threadIdx.x] = writer;
    if (writer == 1) __syncthreads();
    d_data[blockIdx.x * blockDim.x + threadIdx.x] = values[threadIdx.x ^ 1];
}

TEST_CASE("dynamic shared memory is watched like other shared memory") {
    const DeviceBuffer<int> d_data(64);
    const auto launched = [&](int writer) {
        return seen([&] { dynamic_kernel<<<2, 32, 128>>>(d_data.data(), writer); });
    };
    CHECK(launched(-1).has_unwritten());
    CHECK(launched(0).has_race());
    const Seen right = launched(1);
    CHECK(right.findings.empty());
    CHECK(right.sum(lens::Space::shared, lens::Kind::store).wavefronts == 2);
    CHECK(right.sum(lens::Space::shared, lens::Kind::load).wavefronts == 2);
    const DeviceBuffer<int> d_more(512);
    const Seen larger = seen([&] { dynamic_kernel<<<2, 256, 1024>>>(d_more.data(), 1); });
    CHECK(larger.sum(lens::Space::shared, lens::Kind::load).lanes == 2 * 256);
}

/// Has so many loads that some of them share an entry of the table of sites.
template <int... kNumbers>
__global__ void many_loads_kernel(const int* d_data, int* d_sum, std::integer_sequence<int, kNumbers...>) {
    int sum = 0;
    ((sum += d_data[kNumbers * 7 % 1000]), ...);  // clang folds at most 256
    ((sum += d_data[kNumbers * 7 % 1000 + 1000]), ...);
    *d_sum = sum;
}

TEST_CASE("each of a kernel's many loads has its own site") {
    const DeviceBuffer<int> d_data(2000), d_sum(1);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    std::size_t sites = 0;
    const Seen all = seen([&] {
        many_loads_kernel<<<1, 1>>>(d_data.data(), d_sum.data(), std::make_integer_sequence<int, 200>());
    });
    for (const lens::SiteCounts& site : all.counts.sites)
        if (site.requests == 1 && site.at.kind == lens::Kind::load) ++sites;
    CHECK(sites == 400);
}

/// Two variables; only the first block writes the second one.
__global__ void once_kernel(int* d_data) {
    __shared__ int all[32];
    __shared__ int first[33];
    all[threadIdx.x] = 0;
    if (blockIdx.x == 0) first[threadIdx.x] = 1;
    __syncthreads();
    d_data[threadIdx.x] = all[threadIdx.x] + (blockIdx.x == gridDim.x - 1 ? first[threadIdx.x] : 0);
}

TEST_CASE("shared memory that one block has written counts as unwritten in the next") {
    const DeviceBuffer<int> d_data(32);
    CHECK_FALSE(seen([&] { once_kernel<<<1, 32>>>(d_data.data()); }).has_unwritten());
    CHECK(seen([&] { once_kernel<<<40, 32>>>(d_data.data()); }).has_unwritten());
}

struct Whole {
    int at[24];
};

__global__ void copying_kernel(const Whole* d_from, Whole* d_to) { d_to[threadIdx.x] = d_from[threadIdx.x]; }

TEST_CASE("a structure's copy loads and stores all of its bytes") {
    Whole* d_half = nullptr;  // the reset frees it
    CUDA_CHECK(cudaMalloc(&d_half, sizeof(Whole) / 2));
    CUDA_CHECK(cudaMemset(d_half, 0, sizeof(Whole) / 2));
    copying_kernel<<<1, 1>>>(d_half, d_half);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CUDA_CHECK(cudaDeviceReset());
    const DeviceBuffer<Whole> d_from(32), d_to(32);
    CHECK(seen([&] { copying_kernel<<<1, 32>>>(d_from.data(), d_to.data()); }).has_unwritten());
    CUDA_CHECK(cudaMemset(d_from.data(), 0, d_from.bytes()));
    const Seen all = seen([&] { copying_kernel<<<1, 32>>>(d_from.data(), d_to.data()); });
    CHECK(all.findings.empty());
    CHECK(all.global_loads().bytes == sizeof(Whole) * 32);
    CHECK(all.sum(lens::Space::global, lens::Kind::store).bytes == sizeof(Whole) * 32);
    CHECK(seen([&] { copying_kernel<<<2, 1>>>(d_from.data(), d_to.data()); }).has_race());
}

/// One successful comparison, and one that fails.
__global__ void compare_kernel(int* d_data) {
    atomicCAS(&d_data[threadIdx.x], 0, 1);
    atomicCAS(&d_data[threadIdx.x], 0, 1);
}

/// In the simulator, these atomic additions are loops of compare-and-swaps.
__global__ void update_kernel(double* d_data) {
    atomicAdd(&d_data[threadIdx.x % 2], 1.0);
    atomicAdd(&d_data[threadIdx.x % 2], 1.0);
}

__attribute__((noinline, no_sanitize("thread"))) __device__ inline void store_unseen(
    unsigned long long* d_number) {
    *d_number = 7;
}

/// An update whose first comparison fails, because another block has stored in between.
__global__ void repeated_update_kernel(unsigned long long* d_number) {
    unsigned long long old = __atomic_load_n(d_number, __ATOMIC_SEQ_CST);
    store_unseen(d_number);
    while (!__atomic_compare_exchange_n(d_number, &old, old + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

__global__ void compare_and_store_kernel(int* d_data) {
    if (threadIdx.x == 0)
        atomicCAS(d_data, 0, 1);
    else
        d_data[0] = 2;
}

TEST_CASE("a comparison counts as an atomic operation whether it succeeds or not, and so does an update") {
    const DeviceBuffer<int> d_data(32);
    const DeviceBuffer<double> d_numbers(2);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    CUDA_CHECK(cudaMemset(d_numbers.data(), 0, d_numbers.bytes()));
    const Seen compared = seen([&] { compare_kernel<<<1, 32>>>(d_data.data()); });
    CHECK(compared.sum(lens::Space::global, lens::Kind::atomic).requests == 2);
    CHECK(lens::most(compared.counts.atomics) == 2);
    CHECK(compared.global_loads().requests == 0);
    CHECK(compared.findings.empty());
    const Seen updated = seen([&] { update_kernel<<<1, 32>>>(d_numbers.data()); });
    CHECK(updated.sum(lens::Space::global, lens::Kind::atomic).requests == 2);
    CHECK(updated.sum(lens::Space::global, lens::Kind::atomic).lanes == 64);
    CHECK(updated.findings.empty());
    const DeviceBuffer<unsigned long long> d_number(1);
    CUDA_CHECK(cudaMemset(d_number.data(), 0, d_number.bytes()));
    const Seen repeated = seen([&] { repeated_update_kernel<<<1, 1>>>(d_number.data()); });
    CHECK(repeated.sum(lens::Space::global, lens::Kind::atomic).requests == 1);
    CHECK(repeated.counts.swaps == 0);
    CHECK(seen([&] { compare_and_store_kernel<<<1, 2>>>(d_data.data()); }).has_race());
}

[[gnu::noinline]] __device__ void store_one(int* d_data) { d_data[threadIdx.x / 2] = 1; }
[[gnu::noinline]] __device__ void store_by_call(int* d_data) { store_one(d_data); }

__global__ void calls_kernel(int* d_data, int rounds) {
    store_one(d_data);
    __syncthreads();
    for (int i = 0; i < rounds; ++i) {
        store_by_call(d_data + 1);
        __syncthreads();
    }
    store_one(d_data + 2);
}

TEST_CASE("an access in a function has one site per chain of calls that leads to it") {
    const DeviceBuffer<int> d_data(32);
    const Seen all = seen([&] { calls_kernel<<<1, 32>>>(d_data.data(), 2); });
    std::vector<std::size_t> lengths;
    std::vector<std::uint64_t> requests;
    std::vector<std::uint32_t> sites;
    for (std::uint32_t i = 0; i < all.counts.sites.size(); ++i) {
        if (all.counts.sites[i].requests == 0) continue;
        sites.push_back(i);
        lengths.push_back(lens::lines_of(i).size());
        requests.push_back(all.counts.sites[i].requests);
    }
    CHECK(lengths == std::vector<std::size_t>{3, 4, 3});
    CHECK(requests == std::vector<std::uint64_t>{1, 2, 1});
    REQUIRE(sites.size() == 3);
    CHECK(lens::lines_of(sites[0])[1] < lens::lines_of(sites[1])[2]);
    const std::vector<std::string> lines = lens::lines_of(sites[1]);  // the last one is the launch
    CHECK(lens::calls_of(sites[1], lines[3]) == std::vector<std::string>{lines[1], lines[2]});
}

/// Only the first block uses the first array.
__global__ void first_block_kernel(int* d_data) {
    if (blockIdx.x == 0) {
        __shared__ int first[32];
        first[threadIdx.x] = 1;
    }
    __shared__ int second[40];
    second[threadIdx.x + 3] = 2;
    __syncthreads();
    d_data[blockIdx.x * 32 + threadIdx.x] = second[threadIdx.x + 3];
}

TEST_CASE("a shared array is watched in each block, whichever others the blocks have") {
    const DeviceBuffer<int> d_data(96);
    const auto loads = seen([&] {
                           first_block_kernel<<<3, 32>>>(d_data.data());
                       }).sum(lens::Space::shared, lens::Kind::load);
    CHECK(loads.requests == 3);
    CHECK(loads.worst.request.address[0] == 3 * sizeof(int));  // counted from the array's beginning
}

TEST_CASE("sites are ordered by the calls that lead to them, and then by their own addresses") {
    const auto number = [](lens::Path path, std::uintptr_t at) {
        return lens::number_of({at, path, lens::Space::global, lens::Kind::load, 4, false});
    };
    const lens::Path first = lens::call(0, 1000), second = lens::call(0, 2000),
                     inner = lens::call(first, 500);
    CHECK(lens::call(0, 1000) == first);
    CHECK(lens::last_call(inner).from == first);
    CHECK(lens::last_call(first).from == 0);
    const std::vector<std::uint32_t> in_order{number(0, 10),      number(first, 60),  number(inner, 400),
                                              number(first, 900), number(second, 50), number(second, 51)};
    for (std::size_t i = 0; i < in_order.size(); ++i)
        for (std::size_t k = 0; k < in_order.size(); ++k)
            CHECK(lens::is_before(in_order[i], in_order[k]) == (i < k));
}

TEST_CASE("two atomics exclude each other if their widths agree and their scopes include both threads") {
    const auto number = [](std::uintptr_t at, lens::Kind kind, std::uint8_t bytes, bool of_block) {
        return lens::number_of({at, 0, lens::Space::global, kind, bytes, of_block});
    };
    const std::uint32_t four = number(11, lens::Kind::atomic, 4, false),
                        eight = number(12, lens::Kind::atomic, 8, false),
                        of_block = number(13, lens::Kind::atomic, 4, true),
                        load = number(14, lens::Kind::load, 8, false),
                        store = number(15, lens::Kind::store, 1, false);
    CHECK(lens::are_atomic_together(four, four, false));
    CHECK_FALSE(lens::are_atomic_together(four, eight, true));
    CHECK(lens::are_atomic_together(four, of_block, true));
    CHECK_FALSE(lens::are_atomic_together(four, of_block, false));
    CHECK_FALSE(lens::are_atomic_together(of_block, four, false));
    CHECK_FALSE(lens::are_atomic_together(of_block, of_block, false));
    for (const std::uint32_t is_volatile : {load, store}) {
        CHECK(lens::are_atomic_together(four, is_volatile, false));
        CHECK(lens::are_atomic_together(is_volatile, four, false));
        CHECK(lens::are_atomic_together(load, is_volatile, false));
    }
}

}  // namespace launch_checks
