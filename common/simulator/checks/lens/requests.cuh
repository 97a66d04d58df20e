/// @file
/// @brief Checks of the cost of a warp's accesses: textbook cases, with the numbers that textbooks give.
#pragma once

#include <cmath>
#include <cstddef>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "seen.hpp"

namespace request_checks {

using lens_checks::Seen;
using lens_checks::seen;

/// Each thread loads one element, from element `first` on, `stride` elements apart.
template <typename T>
__global__ void strided_load_kernel(const T* d_data, unsigned int first, unsigned int stride, T* d_result) {
    d_result[threadIdx.x] = d_data[first + threadIdx.x * stride];
}

template <typename T>
Seen strided(unsigned int first, unsigned int stride, unsigned int threads = 32) {
    const DeviceBuffer<T> d_data(2048), d_result(128);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    return seen([&] { strided_load_kernel<<<1, threads>>>(d_data.data(), first, stride, d_result.data()); });
}

TEST_CASE("loads of 4 bytes take a sector for each 8 neighbours, and one each from a stride of 8 on") {
    CHECK(strided<int>(0, 0).global_loads().sectors == 1);  // a broadcast
    CHECK(strided<int>(0, 1).global_loads().sectors == 4);
    CHECK(strided<int>(0, 2).global_loads().sectors == 8);
    CHECK(strided<int>(0, 4).global_loads().sectors == 16);
    CHECK(strided<int>(0, 8).global_loads().sectors == 32);
    CHECK(strided<int>(0, 16).global_loads().sectors == 32);
    CHECK(strided<int>(0, 32).global_loads().sectors == 32);
    CHECK(strided<int>(1, 1).global_loads().sectors == 5);  // misaligned by 4 bytes
}

TEST_CASE("wider loads take as many sectors as their bytes, by one request") {
    for (const auto& loads : {strided<int2>(0, 1).global_loads(), strided<double>(0, 1).global_loads()}) {
        CHECK(loads.requests == 1);
        CHECK(loads.sectors == 8);
    }
    const auto loads = strided<uint4>(0, 1).global_loads();
    CHECK(loads.requests == 1);
    CHECK(loads.sectors == 16);
    CHECK(strided<unsigned char>(0, 1).global_loads().sectors == 1);
}

__global__ void components_kernel(const int4* d_data, int* d_sums) {
    const int4& v = d_data[threadIdx.x];
    d_sums[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void triples_kernel(const int* d_data, int* d_sums) {
    const int* const three = &d_data[3 * threadIdx.x];
    d_sums[threadIdx.x] = three[0] + three[1] + three[2];
}

TEST_CASE("the components of a vector count as one load, and unaligned neighbours as several") {
    const DeviceBuffer<int> d_data(128), d_sums(32);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    CHECK(seen([&] { triples_kernel<<<1, 32>>>(d_data.data(), d_sums.data()); }).global_loads().requests ==
          3);
    const auto loads =
        seen([&] {
            components_kernel<<<1, 32>>>(reinterpret_cast<const int4*>(d_data.data()), d_sums.data());
        }).global_loads();
    CHECK(loads.requests == 1);
    CHECK(loads.sectors == 16);
}

struct alignas(32) Eight {
    int at[8];
};

__global__ void eights_kernel(const Eight* d_data, int* d_sums) {
    const auto& [a] = d_data[threadIdx.x];
    d_sums[threadIdx.x] = a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

TEST_CASE("no load is wider than 16 bytes") {
    const DeviceBuffer<Eight> d_data(32);
    const DeviceBuffer<int> d_sums(32);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    const auto loads = seen([&] { eights_kernel<<<1, 32>>>(d_data.data(), d_sums.data()); }).global_loads();
    CHECK(loads.requests == 2);
    CHECK(loads.sectors == 64);
}

TEST_CASE("each warp makes its own requests, and inactive lanes are not counted") {
    const auto loads = strided<int>(0, 1, 65).global_loads();
    CHECK(loads.requests == 3);
    CHECK(loads.lanes == 65);
    CHECK(loads.sectors == 9);
}

/// The lanes load one after another, and meet after each load.
__global__ void one_by_one_kernel(const int* d_data, int* d_results) {
    for (unsigned int i = 0; i < 32; ++i) {
        if (threadIdx.x == i) d_results[i] = d_data[i];
        __syncwarp();
    }
}

TEST_CASE("accesses of lanes that synchronize in between are separate requests") {
    const DeviceBuffer<int> d_data(32), d_results(32);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    CHECK(seen([&] { one_by_one_kernel<<<1, 32>>>(d_data.data(), d_results.data()); })
              .global_loads()
              .requests == 32);
}

/// A tile of 32 × 32 is written by rows and read by columns.
template <unsigned int kWidth>
__global__ void transpose_kernel(int* d_data) {
    __shared__ int tile[32][kWidth];
    for (unsigned int row = threadIdx.y; row < 32; row += blockDim.y)
        tile[row][threadIdx.x] = d_data[row * 32 + threadIdx.x];
    __syncthreads();
    for (unsigned int row = threadIdx.y; row < 32; row += blockDim.y)
        d_data[row * 32 + threadIdx.x] = tile[threadIdx.x][row];
}

template <unsigned int kWidth>
Seen transposed() {
    const DeviceBuffer<int> d_data(1024);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    return seen([&] { transpose_kernel<kWidth><<<1, dim3(32, 8)>>>(d_data.data()); });
}

TEST_CASE("a column of a tile of 32 x 32 has a 32-way bank conflict, and of 32 x 33 none") {
    CHECK(transposed<32>().sum(lens::Space::shared, lens::Kind::load).wavefronts == 32 * 32);
    CHECK(transposed<32>().sum(lens::Space::shared, lens::Kind::store).wavefronts == 32);
    CHECK(transposed<33>().sum(lens::Space::shared, lens::Kind::load).wavefronts == 32);
    CHECK(transposed<33>().findings.empty());
}

template <typename T>
__global__ void shared_kernel(unsigned int stride) {
    __shared__ T cells[1024];
    cells[threadIdx.x * stride] = T{};
}

TEST_CASE(
    "shared memory serves a word for each bank at a time, in halves for 8 bytes and in quarters for 16") {
    const auto stores = [](const Seen& all) {
        return all.sum(lens::Space::shared, lens::Kind::store).wavefronts;
    };
    CHECK(stores(seen([] { shared_kernel<int><<<1, 32>>>(1); })) == 1);
    CHECK(stores(seen([] { shared_kernel<int><<<1, 32>>>(2); })) == 2);
    CHECK(stores(seen([] { shared_kernel<int><<<1, 32>>>(32); })) == 32);
    CHECK(stores(seen([] { shared_kernel<long long><<<1, 32>>>(1); })) == 2);
    CHECK(stores(seen([] { shared_kernel<uint4><<<1, 32>>>(1); })) == 4);
}

__global__ void atomic_kernel(unsigned int* d_counts, unsigned int different) {
    atomicAdd(&d_counts[threadIdx.x % different], 1u);
}

TEST_CASE(
    "atomics on one address are requested one after another, and those on neighbours sector by sector") {
    const DeviceBuffer<unsigned int> d_counts(32);
    const auto atomics = [&](unsigned int different) {
        CUDA_CHECK(cudaMemset(d_counts.data(), 0, d_counts.bytes()));
        return seen([&] { atomic_kernel<<<1, 32>>>(d_counts.data(), different); })
            .sum(lens::Space::global, lens::Kind::atomic);
    };
    CHECK(atomics(1).sectors == 32);
    CHECK(atomics(1).most_lanes_on_address == 32);
    CHECK(atomics(32).sectors == 4);
    CHECK(atomics(32).most_lanes_on_address == 1);
}

/// One instruction, executed with 32, 2 and then 8 lanes per address.
__global__ void rounds_kernel(unsigned int* d_counts) {
    for (const unsigned int different : {1u, 16u, 4u}) atomicAdd(&d_counts[threadIdx.x % different], 1u);
}

TEST_CASE("the request of an atomic with the most lanes on one address is kept") {
    const DeviceBuffer<unsigned int> d_counts(32);
    CUDA_CHECK(cudaMemset(d_counts.data(), 0, d_counts.bytes()));
    const auto atomics =
        seen([&] { rounds_kernel<<<1, 32>>>(d_counts.data()); }).sum(lens::Space::global, lens::Kind::atomic);
    CHECK(atomics.requests == 3);
    CHECK(atomics.most_lanes_on_address == 32);
}

__global__ void store_kernel(unsigned int* d_counts, unsigned int different) {
    d_counts[threadIdx.x % different] = 1;
}

TEST_CASE("the sectors of a line that all blocks store to add up, as those of atomics do") {
    const DeviceBuffer<unsigned int> d_counts(64);
    const auto busiest = [](const Seen& all) { return lens::most(all.counts.lines); };
    CHECK(busiest(seen([&] { store_kernel<<<3, 32>>>(d_counts.data(), 32); })) == 12);
    CHECK(busiest(seen([&] { atomic_kernel<<<3, 32>>>(d_counts.data(), 32); })) == 12);
    CHECK(busiest(seen([&] { store_kernel<<<3, 64>>>(d_counts.data(), 64); })) == 12);  // two lines
    CHECK(busiest(seen([&] { atomic_kernel<<<3, 64>>>(d_counts.data(), 64); })) == 12);
}

__global__ void loop_kernel(const int* d_data, int* d_sums) {
    int sum = 0;
    for (unsigned int i = 0; i <= threadIdx.x; ++i) {
        if (i % 2 == 0) sum += d_data[i * 32 + threadIdx.x];
        d_sums[threadIdx.x] = sum;
    }
    d_sums[32 + threadIdx.x] = sum;
}

TEST_CASE("lanes that leave a loop early wait for the others after it") {
    const DeviceBuffer<int> d_data(1024), d_sums(64);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    const Seen all = seen([&] { loop_kernel<<<1, 32>>>(d_data.data(), d_sums.data()); });
    CHECK(all.global_loads().requests == 16);
    CHECK(all.global_loads().lanes ==
          32 + 30 + 28 + 26 + 24 + 22 + 20 + 18 + 16 + 14 + 12 + 10 + 8 + 6 + 4 + 2);
    CHECK(all.sum(lens::Space::global, lens::Kind::store).requests == 33);
}

/// The inner loop has 0 to 3 iterations, or 1 to 4, and the outer one has no access of its own.
__global__ void nested_kernel(const int* d_data, unsigned int at_least, int* d_sums) {
    int sum = 0;
    for (unsigned int i = 0; i < 4; ++i)
        for (unsigned int k = 0; k < at_least + threadIdx.x % 4; ++k) sum += d_data[k * 32 + threadIdx.x];
    d_sums[threadIdx.x] = sum;
}

__device__ __attribute__((noinline)) int sum_of_column(const int* d_data) {
    int sum = 0;
    for (unsigned int k = 0; k <= threadIdx.x % 4; ++k) sum += d_data[k * 32 + threadIdx.x];
    return sum;
}
__global__ void calls_kernel(const int* d_data, int* d_sums) {
    int sum = 0;
    for (unsigned int i = 0; i < 4; ++i) sum += sum_of_column(d_data);
    d_sums[threadIdx.x] = sum;
}

/// In each iteration, another quarter of the lanes loads.
__global__ void skipping_kernel(const int* d_data, int* d_sums) {
    int sum = 0;
    for (unsigned int i = 0; i < 4; ++i)
        if (threadIdx.x % 4 == i) sum += d_data[i * 32 + threadIdx.x];
    d_sums[threadIdx.x] = sum;
}

TEST_CASE("lanes wait for the others after an inner loop, and at the end of an outer one's iteration") {
    const DeviceBuffer<int> d_data(128), d_sums(32);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    const auto check = [&](const Seen& all, unsigned int requests, unsigned int lanes) {
        CHECK(all.global_loads().requests == requests);
        CHECK(all.global_loads().lanes == lanes);
        CHECK(all.global_loads().sectors == 4 * requests);
        CHECK(all.sum(lens::Space::global, lens::Kind::store).requests == 1);
    };
#if !defined(__clang__) || defined(__wasm__)  // clang places the end of a loop before its body
    check(seen([&] { nested_kernel<<<1, 32>>>(d_data.data(), 1, d_sums.data()); }), 16,
          4 * (32 + 24 + 16 + 8));
    check(seen([&] { nested_kernel<<<1, 32>>>(d_data.data(), 0, d_sums.data()); }), 12, 4 * (24 + 16 + 8));
    check(seen([&] { skipping_kernel<<<1, 32>>>(d_data.data(), d_sums.data()); }), 4, 32);
#endif
    check(seen([&] { calls_kernel<<<1, 32>>>(d_data.data(), d_sums.data()); }), 16, 4 * (32 + 24 + 16 + 8));
}

/// Each block copies 32 numbers, and the one that arrives last adds up all copies.
__global__ void last_block_kernel(const int* d_data, int* d_sums, unsigned int* d_arrived,
                                  unsigned int blocks) {
    int sum = d_data[blockIdx.x * 32 + threadIdx.x];
    d_sums[blockIdx.x * 32 + threadIdx.x] = sum;
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(d_arrived, 1u) == blocks - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (unsigned int i = threadIdx.x; i < blocks * 32; i += 32) sum += d_sums[i];
    d_sums[threadIdx.x] = sum;
}

/// Of many blocks, only two store, both to the same place.
__global__ void rare_race_kernel(int* d_data, unsigned int first) {
    if (blockIdx.x / 2 == first / 2) d_data[0] = static_cast<int>(blockIdx.x);
}

TEST_CASE(
    "counts of one block in 16 are scaled to all that reach the line, and races are looked for in all") {
    constexpr unsigned int kBlocks = 1000;
    const DeviceBuffer<int> d_data(kBlocks * 32), d_sums(kBlocks * 32);
    const DeviceBuffer<unsigned int> d_arrived(1);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    lens::the_lens().count_one_of(16);
    const Seen all = seen([&] {
        CUDA_CHECK(cudaMemset(d_arrived.data(), 0, d_arrived.bytes()));
        last_block_kernel<<<kBlocks, 32>>>(d_data.data(), d_sums.data(), d_arrived.data(), kBlocks);
    });
    CHECK(all.findings.empty());
    CHECK(all.counts.sample == 16);
    CHECK(all.global_loads().requests == 2 * kBlocks);
    CHECK(all.global_loads().sectors == 8 * kBlocks);
    CHECK(all.sum(lens::Space::global, lens::Kind::store).requests == kBlocks + 1);
    CHECK(lens::most(all.counts.atomics) == kBlocks);
    CHECK(lens::most(all.counts.lines) == kBlocks);
    for (unsigned int block = 0; block < 32; block += 2) {
        const Seen two = seen([&] { rare_race_kernel<<<kBlocks, 32>>>(d_data.data(), block); });
        CHECK(two.has_race());
        CHECK(two.sum(lens::Space::global, lens::Kind::store).blocks == 2);
        CHECK(two.sum(lens::Space::global, lens::Kind::store).requests == 2);
    }
    CHECK(seen([&] { store_kernel<<<127, 32>>>(d_arrived.data(), 1); }).counts.sample == 1);
    lens::the_lens().count_one_of(0);
}

/// The lanes add to random counters, so some lanes add to the same one; in every fourth block, fewer do.
__global__ void scattered_kernel() {
    __shared__ unsigned int counts[256];
    for (unsigned int i = threadIdx.x; i < 256; i += 32) counts[i] = 0;
    __syncthreads();
    for (unsigned int i = 0; i < 8; ++i) {
        unsigned int random = (blockIdx.x * 256 + i * 32 + threadIdx.x + 1) * 2654435761u;
        random = (random ^ random >> 15) * 2246822519u;
        atomicAdd(&counts[random >> (blockIdx.x % 4 == 0 ? 24 : 26)], 1u);
    }
}

TEST_CASE("a sample's estimate is close, and the same in each run") {
    const auto wavefronts = [](std::uint64_t sample) {
        lens::the_lens().count_one_of(sample);
        const Seen all = seen([] { scattered_kernel<<<512, 32>>>(); });
        lens::the_lens().count_one_of(0);
        return all.sum(lens::Space::shared, lens::Kind::atomic).wavefronts;
    };
    const auto full = static_cast<double>(wavefronts(1)), estimate = static_cast<double>(wavefronts(16));
    CHECK(std::abs(estimate / full - 1) < 0.02);
    CHECK(static_cast<double>(wavefronts(16)) == estimate);
    CHECK(estimate != full);
}

}  // namespace request_checks
