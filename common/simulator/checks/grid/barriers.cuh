/// @file
/// @brief Checks of what a kernel may rely on: the barriers of a block, and fences.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../../../checks/setting.hpp"
#include "../faults/faults.cuh"
#include "kernels.cuh"

namespace kernel_checks {

/// In each round, every thread reads what another thread has written, then writes for the next round.
__global__ void ring_kernel(int* d_result, int rounds) {
    __shared__ int cells[1024];
    cells[threadIdx.x] = static_cast<int>(threadIdx.x);
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
        const int next = cells[(threadIdx.x + 1) % blockDim.x];
        __syncthreads();
        cells[threadIdx.x] = next;
    }
    d_result[blockIdx.x * blockDim.x + threadIdx.x] = cells[threadIdx.x];
}

TEST_CASE("__syncthreads separates what is before from what is after, for every block size") {
    for (const int threads : {1, 2, 31, 32, 33, 100, 256, 1024}) {
        const auto result = zeros<int>(5 * static_cast<std::size_t>(threads));
        ring_kernel<<<5, threads>>>(result.data(), 7);
        std::vector<int> expected;
        for (int i = 0; i < 5 * threads; ++i) expected.push_back((i % threads + 7) % threads);
        CHECK(result.to_host() == expected);
    }
}

TEST_CASE("threads wait at barriers even if the process has no mappings left to guard their stacks") {
    if (kAddressSanitizer) return skip_check("the sanitizer needs mappings, too");
    const auto result = zeros<int>(1024);
    // Each accessible page between inaccessible ones counts as a separate mapping.
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), most = std::size_t{1} << 20;
    char* const pages = static_cast<char*>(
        mmap(nullptr, most * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    REQUIRE(pages != MAP_FAILED);
    std::size_t taken = 0;
    while (taken < most && mprotect(pages + taken * page, page, PROT_READ) == 0) taken += 2;
    if (taken == most) {
        munmap(pages, most * page);
        return skip_check("a process may have more mappings here than this check takes");
    }
    munmap(pages + (taken - 400) * page, 400 * page);  // leaves some mappings for the rest of the program
    ring_kernel<<<1, 1024>>>(result.data(), 2);        // in one worker: a second one might take all mappings
    const cudaError_t error = cudaGetLastError();
    munmap(pages, most * page);
    CHECK(error == cudaSuccess);
    CHECK(result.to_host()[1023] == 1);
}

__global__ void vote_kernel(int* d_votes, unsigned int leave_from) {
    if (threadIdx.x >= leave_from) return;
    const int index = static_cast<int>(threadIdx.x);
    int* const votes = d_votes + 5 * index;
    votes[0] = __syncthreads_count(index % 3 == 0 ? 7 : 0);
    votes[1] = __syncthreads_and(index >= 0);
    votes[2] = __syncthreads_and(index != 1);
    votes[3] = __syncthreads_or(index == 1);
    votes[4] = __syncthreads_or(index < 0);
}

TEST_CASE("__syncthreads_count, _and and _or give all threads the votes of those that have not returned") {
    for (const int live : {100, 64, 33, 2}) {
        const auto votes = zeros<int>(5 * 100);
        vote_kernel<<<1, 100>>>(votes.data(), static_cast<unsigned int>(live));
        const std::vector<int> got = votes.to_host();
        for (int i = 0; i < live; ++i) {
            CAPTURE(live, i);
            REQUIRE(got[5 * i] == (live + 2) / 3);
            REQUIRE((got[5 * i + 1] != 0 && got[5 * i + 2] == 0));
            REQUIRE((got[5 * i + 3] != 0 && got[5 * i + 4] == 0));
        }
    }
}

/// Some threads return before the first barrier.
__global__ void early_kernel(unsigned int live, int* d_barriers) {
    if (threadIdx.x >= live) return;
    for (int i = 0; i < 3; ++i) {
        __syncthreads();
        atomicAdd(d_barriers, 1);
    }
}

TEST_CASE("threads may return before the first barrier that others wait at") {
    const auto barriers = zeros<int>(1);
    for (unsigned int live = 256; live > 0; live /= 2) early_kernel<<<3, 256>>>(live, barriers.data());
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(barriers.to_host()[0] == 3 * 3 * 511);
}

/// In the second block, the first thread returns at once.
__global__ void second_block_kernel() {
    if (blockIdx.x == 1 && threadIdx.x == 0) return;
    __syncthreads();
}

TEST_CASE("what a thread has waited for in one block is not said of the next block's") {
    const Setting order("CUDA_SIM_SEED", 0), early_exit("CUDA_SIM_EARLY_EXIT", 0);
    const std::string words =
        fault_checks::fault_of([] { second_block_kernel<<<2, 32>>>(); }, cudaErrorLaunchFailure);
    CAPTURE(words);
    CHECK(fault_checks::says(words, {"thread 0 has returned; threads 1-31 wait at "}));
}

__global__ void fence_kernel(const int* d_data, int* d_partials, unsigned int* d_done, int* d_sum) {
    __shared__ bool last;
    const int sum = __syncthreads_count(d_data[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
        d_partials[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(d_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x != 0) return;
    int total = 0;
    for (unsigned int block = 0; block < gridDim.x; ++block) total += d_partials[block];
    atomicAdd(d_sum, total);
}

TEST_CASE("after __threadfence the last block sees what all the others have written") {
    const auto data = on_device(std::vector<int>(500 * 64, 1));
    const auto partials = zeros<int>(500);
    const auto done = zeros<unsigned int>(1);
    const auto sum = zeros<int>(1);
    for (int round = 1; round <= 3; ++round) {  // after each launch, atomicInc has wrapped to 0
        fence_kernel<<<500, 64>>>(data.data(), partials.data(), done.data(), sum.data());
        CHECK(sum.to_host()[0] == round * 500 * 64);
        CHECK(done.to_host()[0] == 0);
    }
}

/// Adds as `atomicAdd_block` does.
__global__ void block_scope_kernel(int* d_sum) {
    sim::atomic_scope(true);
    atomicAdd(d_sum, 1);
    sim::atomic_scope(false);
}

TEST_CASE("atomics for a block's threads add like others") {
    const auto sum = zeros<int>(1);
    block_scope_kernel<<<1, 64>>>(sum.data());
    CHECK(sum.to_host()[0] == 64);
}

}  // namespace kernel_checks
