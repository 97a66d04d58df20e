/// @file
/// @brief Checks that poisoned memory and shuffled threads reveal mistakes that leftover values and the usual
/// order hide.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../checks/setting.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "../faults/faults.cuh"

namespace order_checks {

constexpr unsigned int kPoison = 0xa5a5a5a5u;

// --- Poison -------------------------------------------------------------------------------------

__global__ void static_rest_kernel(unsigned int* d_rest) {
    __shared__ unsigned int rest[4];
    __shared__ double one_more;
    d_rest[blockIdx.x] = rest[threadIdx.x + 1];
    rest[threadIdx.x + 1] = 1;  // the next block must not see this value
    one_more = 0;
}

__global__ void dynamic_rest_kernel(unsigned int* d_rest) {
    extern __shared__ unsigned int dynamic_rest[];
    d_rest[blockIdx.x] = dynamic_rest[gridDim.x % 7];
    dynamic_rest[gridDim.x % 7] = 1;
}

TEST_CASE("shared memory holds poison at the beginning of every block") {
    const DeviceBuffer<unsigned int> rest(100);
    CUDA_CHECK(cudaMemset(rest.data(), 0, rest.bytes()));
    static_rest_kernel<<<100, 1>>>(rest.data());
    CHECK(rest.to_host() == std::vector<unsigned int>(100, kPoison));
    CUDA_CHECK(cudaMemset(rest.data(), 0, rest.bytes()));
    dynamic_rest_kernel<<<100, 1, 7 * sizeof(unsigned int)>>>(rest.data());
    CHECK(rest.to_host() == std::vector<unsigned int>(100, kPoison));
}

TEST_CASE("device memory holds poison when it is allocated, also where another allocation was") {
    for (int round = 0; round < 3; ++round) {
        const DeviceBuffer<unsigned int> fresh(1000);
        CHECK(fresh.to_host() == std::vector<unsigned int>(1000, kPoison));
        CUDA_CHECK(cudaMemset(fresh.data(), 0, fresh.bytes()));
    }
}

__global__ void absent_lane_kernel(unsigned int* d_result) {
    if (threadIdx.x != 0)
        d_result[threadIdx.x] = __shfl_sync(0xfeu, threadIdx.x, static_cast<int>(threadIdx.x + 4) % 9);
}

TEST_CASE("a shuffle from a lane that does not exist returns poison") {
    const DeviceBuffer<unsigned int> result(8);
    CUDA_CHECK(cudaMemset(result.data(), 0, result.bytes()));
    absent_lane_kernel<<<1, 8>>>(result.data());
    CHECK(result.to_host() == std::vector<unsigned int>{0, 5, 6, 7, kPoison, kPoison, 1, 2});
}

// --- Order --------------------------------------------------------------------------------------

/// Runs a function with a value of CUDA_SIM_SEED. @return The function's result.
template <typename Work>
auto with_seed(std::uint64_t seed, Work work) {
    const Setting setting("CUDA_SIM_SEED", seed);
    return work();
}

/// Each block records the order of its threads.
__global__ void thread_order_kernel(unsigned int* d_order, unsigned int* d_counts) {
    d_order[blockIdx.x * blockDim.x + atomicAdd(&d_counts[blockIdx.x], 1u)] = threadIdx.x;
}

__global__ void block_order_kernel(unsigned int* d_order, unsigned int* d_count) {
    d_order[atomicAdd(d_count, 1u)] = blockIdx.x;
}

std::vector<unsigned int> thread_order(unsigned int blocks, unsigned int threads) {
    const DeviceBuffer<unsigned int> order(std::size_t{blocks} * threads), counts(blocks);
    CUDA_CHECK(cudaMemset(counts.data(), 0, counts.bytes()));
    thread_order_kernel<<<blocks, threads>>>(order.data(), counts.data());
    return order.to_host();
}

/// The order in which a grid's blocks run. A single worker runs a grid this small, one block after another.
std::vector<unsigned int> block_order() {
    const DeviceBuffer<unsigned int> order(100), count(1);
    CUDA_CHECK(cudaMemset(count.data(), 0, sizeof(unsigned int)));
    block_order_kernel<<<100, 1>>>(order.data(), count.data());
    return order.to_host();
}

std::vector<unsigned int> ascending(unsigned int count) {
    std::vector<unsigned int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
}

TEST_CASE("without a seed, threads and blocks come in ascending order") {
    CHECK(with_seed(0, block_order) == ascending(100));
    const auto threads = [] { return thread_order(1, 64); };
    CHECK(with_seed(0, threads) == ascending(64));
}

TEST_CASE("each seed has an order of its own, the same each time, whichever worker runs a block") {
    const auto threads = [] { return thread_order(500, 33); };
    const auto first = with_seed(1, threads);
    for (int round = 0; round < 5; ++round) CHECK(with_seed(1, threads) == first);
    CHECK(with_seed(2, threads) != first);
    CHECK(std::vector<unsigned int>(&first[0], &first[33]) !=
          std::vector<unsigned int>(&first[33], &first[66]));

    const auto blocks = with_seed(1, block_order);
    CHECK(blocks == with_seed(1, block_order));
    CHECK(blocks != with_seed(2, block_order));
    CHECK(blocks != ascending(100));
}

TEST_CASE("with any seed, every thread of every block runs once, and any block may be the first") {
    std::set<unsigned int> firsts;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto blocks = with_seed(seed, block_order);
        firsts.insert(blocks[0]);
        std::sort(blocks.begin(), blocks.end());
        CHECK(blocks == ascending(100));
        auto threads = with_seed(seed, [] { return thread_order(1, 100); });
        std::sort(threads.begin(), threads.end());
        CHECK(threads == ascending(100));
    }
    CHECK(firsts.size() > 10);
}

__global__ void visit_block_kernel(unsigned int* d_visits) { atomicAdd(&d_visits[blockIdx.x], 1u); }

TEST_CASE("with any seed, every block of a large grid runs once") {
    constexpr unsigned int kBlocks = 99999;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Setting setting("CUDA_SIM_SEED", seed);
        const DeviceBuffer<unsigned int> visits(kBlocks);
        CUDA_CHECK(cudaMemset(visits.data(), 0, visits.bytes()));
        visit_block_kernel<<<kBlocks, 1>>>(visits.data());
        CHECK(visits.to_host() == std::vector<unsigned int>(kBlocks, 1));
    }
}

/// Each block waits for the one before it.
__global__ void chain_kernel(unsigned int* d_sums) {
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && atomicAdd(&d_sums[blockIdx.x - 1], 0u) == 0) {}
        const unsigned int before = blockIdx.x == 0 ? 0 : atomicAdd(&d_sums[blockIdx.x - 1], 0u);
        atomicExch(&d_sums[blockIdx.x], before + 1);
    }
    __syncthreads();
}

/// All blocks wait for each other, several times.
__global__ void meeting_kernel(unsigned int* d_arrived, unsigned int meetings) {
    for (unsigned int k = 1; k <= meetings; ++k) {
        if (threadIdx.x == 0) {
            atomicAdd(d_arrived, 1u);
            while (atomicAdd(d_arrived, 0u) < k * gridDim.x) {}
        }
        __syncthreads();
    }
}

TEST_CASE("blocks that wait for each other run at the same time, with any seed and few workers") {
    constexpr unsigned int kBlocks = 9;  // so few threads that one worker would run them
    for (std::uint64_t seed = 0; seed <= 4; ++seed) {
        const Setting setting("CUDA_SIM_SEED", seed);
        const DeviceBuffer<unsigned int> sums(kBlocks), arrived(1);
        CUDA_CHECK(cudaMemset(sums.data(), 0, sums.bytes()));
        CUDA_CHECK(cudaMemset(arrived.data(), 0, arrived.bytes()));
        chain_kernel<<<kBlocks, 4>>>(sums.data());
        meeting_kernel<<<kBlocks, 4>>>(arrived.data(), 3);
        CHECK(sums.to_host().back() == kBlocks);
        CHECK(arrived.to_host()[0] == 3 * kBlocks);
    }
}

/// Runs one check in a new process, with an environment variable. @return Its exit status and output.
std::pair<int, std::string> with_setting(const char* name, const char* value) {
    return fault_checks::process_of([=] {
        setenv(name, value, 1);
        close(STDOUT_FILENO);
        execl("/proc/self/exe", "checks", "shared memory holds poison*", nullptr);
    });
}

TEST_CASE(
    "a setting that is not a whole number ends the program with a line, and an empty one counts as not set") {
    for (const char* name : {"CUDA_SIM_SEED", "CUDA_SIM_WORKERS"}) {
        for (const char* value : {"", "0", "3", "4294967297"}) CHECK(with_setting(name, value).first == 0);
        for (const std::string value : {"two", "-1", "1x", "0x10"}) {
            const auto [status, words] = with_setting(name, value.c_str());
            CHECK(status == 2);
            CHECK(words == std::string(name) + " accepts a whole number, not '" + value + "'\n");
        }
    }
}

/// The mistake: no barrier between writing and reading.
__global__ void no_barrier_kernel(unsigned int* d_result) {
    __shared__ unsigned int cells[64];
    cells[threadIdx.x] = threadIdx.x;
    d_result[threadIdx.x] = cells[threadIdx.x == 0 ? 0 : threadIdx.x - 1];
}

TEST_CASE("a barrier is missed that threads in ascending order would not need") {
    const DeviceBuffer<unsigned int> result(64);
    const auto run = [&] {
        no_barrier_kernel<<<1, 64>>>(result.data());
        return result.to_host();
    };
    std::vector<unsigned int> expected{0};
    for (unsigned int i = 0; i < 63; ++i) expected.push_back(i);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto got = with_seed(seed, run);
        CHECK(got != expected);
        CHECK(std::count(got.begin(), got.end(), kPoison) > 10);
    }
}

__global__ void active_mask_kernel(unsigned int* d_masks) { d_masks[threadIdx.x] = __activemask(); }

TEST_CASE("only the caller is in the mask of active lanes, so that code which relies on others is wrong") {
    const DeviceBuffer<unsigned int> masks(64);
    active_mask_kernel<<<1, 64>>>(masks.data());
    for (unsigned int i = 0; i < 64; ++i) CHECK(masks.to_host()[i] == 1u << i % 32);
}

}  // namespace order_checks
