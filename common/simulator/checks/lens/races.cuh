/// @file
/// @brief Checks of races, and of shared memory that is read before it is written: planted mistakes are found
/// in any order of the threads, and nothing is reported about correct code.
#pragma once

#include <simulator/cooperation.h>
#include <cstddef>

#include <string>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../checks/setting.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "seen.hpp"

namespace race_checks {

using lens_checks::Seen;
using lens_checks::seen;

constexpr unsigned int kThreads = 256;

/// @return Findings of `kKernel<<<grid, kThreads>>>(cleared numbers)`, with threads and blocks in the order
/// of each seed.
template <void (*kKernel)(unsigned int*)>
std::string always(unsigned int grid, int seeds = 40) {
    std::string result;
    for (int seed = 0; seed < seeds; ++seed) {
        const DeviceBuffer<unsigned int> d_numbers(8192);
        CUDA_CHECK(cudaMemset(d_numbers.data(), 0, d_numbers.bytes()));
        const Setting order("CUDA_SIM_SEED", static_cast<std::uint64_t>(seed));
        const Seen all = seen([&] { kKernel<<<grid, kThreads>>>(d_numbers.data()); });
        CUDA_CHECK(cudaGetLastError());
        const std::string found = all.has_race_for_lack_of_a_fence() ? "race for lack of a fence"
                                  : all.has_race()                   ? "race"
                                  : all.has_unwritten()              ? "unwritten"
                                                                     : "nothing";
        if (seed == 0) result = found;
        if (found != result) return result + " at first, and " + found + " with seed " + std::to_string(seed);
    }
    return result;
}

template <bool kFirst, bool kInLoop>
__global__ void tree_kernel(unsigned int* d_sums) {
    __shared__ unsigned int values[kThreads];
    values[threadIdx.x] = threadIdx.x;
    if (kFirst) __syncthreads();
    for (unsigned int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        if (kInLoop) __syncthreads();
    }
    if (threadIdx.x == 0) d_sums[blockIdx.x] = values[0];
}

TEST_CASE("a barrier left out after the load or in the loop of a tree is found") {
    CHECK(always<tree_kernel<true, true>>(3) == "nothing");
    CHECK(always<tree_kernel<false, true>>(3) == "race");
    CHECK(always<tree_kernel<true, false>>(3) == "race");
}

template <bool kBefore, bool kAfter, bool kCleared>
__global__ void histogram_kernel(unsigned int* d_bins) {
    __shared__ unsigned int counts[kThreads];
    if (kCleared) counts[threadIdx.x] = 0;
    if (kBefore) __syncthreads();
    for (unsigned int i = 0; i < 8; ++i) atomicAdd(&counts[(threadIdx.x * 7 + i * 31) % kThreads], 1u);
    if (kAfter) __syncthreads();
    atomicAdd(&d_bins[threadIdx.x], counts[threadIdx.x]);
}

TEST_CASE(
    "a barrier left out after clearing or before merging a histogram is found, as is clearing left out") {
    CHECK(always<histogram_kernel<true, true, true>>(3) == "nothing");
    CHECK(always<histogram_kernel<false, true, true>>(3) == "race");
    CHECK(always<histogram_kernel<true, false, true>>(3) == "race");
    CHECK(always<histogram_kernel<true, true, false>>(3) == "unwritten");
}

template <bool kSync>
__global__ void warp_kernel(unsigned int* d_sums) {
    __shared__ unsigned int values[kThreads];
    values[threadIdx.x] = threadIdx.x;
    for (unsigned int half = 16; half > 0; half /= 2) {
        if (kSync) __syncwarp();
        const unsigned int other = threadIdx.x % 32 < half ? values[threadIdx.x + half] : 0;
        if (kSync) __syncwarp();
        values[threadIdx.x] += other;
    }
    if (threadIdx.x % 32 == 0) d_sums[threadIdx.x] = values[threadIdx.x];
}

TEST_CASE("lanes that share values without __syncwarp race, and with it they don't") {
    CHECK(always<warp_kernel<true>>(1) == "nothing");
    CHECK(always<warp_kernel<false>>(1) == "race");
}

/// Each thread loads what another lane stored before the warp's lanes have synchronized.
template <bool kBarrier>
__global__ void meeting_kernel(unsigned int* d_results) {
    __shared__ unsigned int values[kThreads];
    values[threadIdx.x] = threadIdx.x;
    if (!kBarrier) d_results[kThreads + threadIdx.x] = __shfl_sync(~0u, threadIdx.x, 0);
    if (kBarrier) __syncwarp();
    d_results[threadIdx.x] = values[threadIdx.x ^ 1];
}

/// Lane 0 meets lane 1, which then meets lane 2.
__global__ void relayed_meeting_kernel(unsigned int* d_result) {
    __shared__ unsigned int value;
    if (threadIdx.x == 0) value = 1;
    if (threadIdx.x <= 1) __syncwarp(3);
    if (threadIdx.x == 1 || threadIdx.x == 2) __syncwarp(6);
    if (threadIdx.x == 2) *d_result = value;
}

TEST_CASE("a shuffle orders no accesses, but a warp's barrier does, also from lane to lane") {
    CHECK(always<meeting_kernel<false>>(1, 10) == "race");
    CHECK(always<meeting_kernel<true>>(1, 10) == "nothing");
    CHECK(always<relayed_meeting_kernel>(1, 10) == "nothing");
}

enum Fence { none, of_block, of_device };
template <Fence kFence>
__device__ void fence() {
    if (kFence == of_block) sim::fence(true);  // __threadfence_block() calls the same function
    if (kFence == of_device) __threadfence();
}

/// The last block adds up what all blocks have stored. `d_numbers[0]` counts the tickets.
template <Fence kRelease, Fence kAcquire>
__global__ void last_block_kernel(unsigned int* d_numbers) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        d_numbers[2 + blockIdx.x] = blockIdx.x;
        fence<kRelease>();
        last = atomicInc(&d_numbers[0], gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    fence<kAcquire>();
    __shared__ unsigned int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x < gridDim.x) atomicAdd(&sum, d_numbers[2 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) d_numbers[1] = sum;
}

TEST_CASE("in a last block, either fence is found if it is missing or for a block only") {
    CHECK(always<last_block_kernel<of_device, of_device>>(5) == "nothing");
    CHECK(always<last_block_kernel<none, of_device>>(5) == "race");
    CHECK(always<last_block_kernel<of_device, none>>(5) == "race for lack of a fence");
    CHECK(always<last_block_kernel<none, none>>(5) == "race");
    CHECK(always<last_block_kernel<of_block, of_device>>(5) == "race");
    CHECK(always<last_block_kernel<of_device, of_block>>(5) == "race for lack of a fence");
}

/// The last block loads what another block has stored, and executes its fence only afterwards.
__global__ void late_fence_kernel(unsigned int* d_numbers) {
    if (threadIdx.x != 0) return;
    d_numbers[2 + blockIdx.x] = blockIdx.x;
    __threadfence();
    if (atomicAdd(&d_numbers[0], 1u) != gridDim.x - 1) return;
    const unsigned int loaded = d_numbers[2 + (blockIdx.x + 1) % gridDim.x];
    __threadfence();
    if (loaded == gridDim.x) d_numbers[1] = loaded;
}

TEST_CASE("a fence does not order a load before it") {
    CHECK(always<late_fence_kernel>(20, 10) == "race for lack of a fence");
}

/// Thread 0 increments a counter after a fence, thread 32 sets it, and thread 64 adds to it twice.
__global__ void set_tickets_kernel(unsigned int* d_numbers) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&d_numbers[0], 1u);
    } else if (threadIdx.x == 32) {
        d_numbers[0] = 5;
    } else if (threadIdx.x == 64) {
        atomicAdd(&d_numbers[0], 1u);
        atomicAdd(&d_numbers[0], 1u);
    }
}

TEST_CASE("an atomic operation that has received a message of another thread may itself race") {
    CHECK(always<set_tickets_kernel>(1, 10) == "race");
}

/// All threads of a block call this to take one ticket, between two fences. @return Whether it is the last.
__device__ bool takes_last_ticket(unsigned int* d_tickets) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(d_tickets, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

/// All threads of a block add to the bins before the block takes its ticket, and the last block reads the
/// bins. It has also added to these bins, but that does not make the additions of other blocks visible.
template <bool kBarrier>
__global__ void last_histogram_kernel(unsigned int* d_numbers) {
    atomicAdd(&d_numbers[1 + threadIdx.x], 1u);
    if (kBarrier) __syncthreads();
    if (!takes_last_ticket(d_numbers)) return;
    if (threadIdx.x == 0) d_numbers[0] = 0;
    d_numbers[300 + threadIdx.x] = d_numbers[1 + threadIdx.x];
}

TEST_CASE("a barrier left out between the atomics of a block and its ticket is found") {
    CHECK(always<last_histogram_kernel<true>>(5) == "nothing");
    CHECK(always<last_histogram_kernel<false>>(5) == "race");
}

/// After `__syncwarp`, one thread of a warp tells other blocks what all threads of the warp have stored.
template <bool kSync>
__global__ void told_by_a_lane_kernel(unsigned int* d_numbers) {
    if (threadIdx.x / 32 == 0) d_numbers[1 + blockIdx.x * 32 + threadIdx.x] = 1;
    if (kSync) __syncwarp();
    if (!takes_last_ticket(d_numbers)) return;
    for (unsigned int i = threadIdx.x; i < gridDim.x * 32; i += kThreads)
        atomicAdd(&d_numbers[8191], d_numbers[1 + i]);
}

TEST_CASE("a fence makes visible what the lanes of a warp have stored before __syncwarp") {
    CHECK(always<told_by_a_lane_kernel<true>>(5) == "nothing");
    CHECK(always<told_by_a_lane_kernel<false>>(5) == "race");
}

/// The first block stores a number and tells the second block, which tells the other blocks. Each waits until
/// it is told. The second block also executes a fence for its own threads only. This fence tells other blocks
/// nothing, and leaves the received messages for the second block's other fence.
template <bool kTells>
__global__ void relay_kernel(unsigned int* d_numbers) {
    if (threadIdx.x != 0) return;
    __threadfence();  // the lens keeps the messages of atomics only from the first fence on
    const unsigned int ticket = atomicAdd(&d_numbers[0], 1u);
    if (ticket == 0) {
        d_numbers[1] = 1;
        __threadfence();
        atomicExch(&d_numbers[2], 1u);
    } else if (ticket == 1) {
        while (atomicAdd(&d_numbers[2], 0u) == 0) continue;
        sim::fence(true);
        if (kTells) __threadfence();
        atomicExch(&d_numbers[4], 1u);
    } else {
        while (atomicAdd(&d_numbers[4], 0u) == 0) continue;
        __threadfence();
        d_numbers[5 + blockIdx.x] = d_numbers[1];
    }
}

TEST_CASE("what is visible to a thread becomes visible to others, if it has a fence for the device") {
    CHECK(always<relay_kernel<true>>(20, 20) == "nothing");
    CHECK(always<relay_kernel<false>>(20, 20) == "race");
}

/// A number is stored after the fence, or after the last barrier by a thread that executes no fence.
template <bool kByAnother>
__global__ void late_store_kernel(unsigned int* d_numbers) {
    __syncthreads();
    if (kByAnother && threadIdx.x == 32) d_numbers[1 + blockIdx.x] = 1;
    if (threadIdx.x == 64) {
        __threadfence();
        if (!kByAnother) d_numbers[1 + blockIdx.x] = 1;
        if (atomicAdd(&d_numbers[0], 1u) == gridDim.x - 1) {
            __threadfence();
            for (unsigned int i = 0; i < gridDim.x; ++i) d_numbers[100] += d_numbers[1 + i];
        }
    }
}

TEST_CASE("a fence makes nothing visible that is stored after it, or by others after the last barrier") {
    CHECK(always<late_store_kernel<false>>(5) == "race");
    CHECK(always<late_store_kernel<true>>(5) == "race");
}

/// Adds 1 to a number. A plain load before an `atomicCAS` is a guess; before other atomics, it is a race.
template <bool kCompares>
__global__ void guess_kernel(unsigned int* d_numbers) {
    unsigned int old = d_numbers[0], guess = old;
    if (kCompares) {
        do {
            guess = old;
            old = atomicCAS(&d_numbers[0], guess, guess + 1);
        } while (old != guess);
    } else {
        atomicExch(&d_numbers[0], old + 1);
    }
}

TEST_CASE("a load before an atomicExch races, but not before an atomicCAS, which checks it") {
    CHECK(always<guess_kernel<true>>(3) == "nothing");
    CHECK(always<guess_kernel<false>>(3) == "race");
    CHECK(always<guess_kernel<false>>(1) == "race");
}

/// A load, then an `atomicCAS`: at the same address by another thread, or elsewhere by the same thread.
template <bool kOther>
__global__ void other_guess_kernel(unsigned int* d_numbers) {
    if (threadIdx.x == 0) {
        const unsigned int guess = d_numbers[0];
        if (!kOther) atomicCAS(&d_numbers[1], 0u, guess);
        if (kOther && guess == 1000) d_numbers[3] = guess;
    } else if (threadIdx.x == kThreads - 1) {
        atomicCAS(&d_numbers[0], 0u, 1u);
    }
}

/// The last access before the lanes of the warp, or the threads of the block, meet is a load.
template <bool kWarp>
__global__ void load_and_meet_kernel(unsigned int* d_numbers) {
    if (threadIdx.x == 0) d_numbers[0] = 1;
    unsigned int loaded = 0;
    if (threadIdx.x == (kWarp ? 31 : kThreads - 1)) loaded = d_numbers[0];
    if (kWarp)
        __syncwarp();
    else
        __syncthreads();
    if (loaded == 1000) d_numbers[1] = loaded;
}

TEST_CASE("a load before a barrier is not ordered by it") {
    CHECK(always<load_and_meet_kernel<false>>(1) == "race");
    CHECK(always<load_and_meet_kernel<true>>(1) == "race");
}

TEST_CASE("a comparison excuses only the load that it checks") {
    CHECK(always<other_guess_kernel<true>>(1) == "race");
    CHECK(always<other_guess_kernel<false>>(1) == "race");
}

/// Adds as `atomicAdd_block` does: to one number per block, or to one for all blocks.
template <bool kPerBlock>
__global__ void block_scope_kernel(unsigned int* d_numbers) {
    sim::atomic_scope(true);
    atomicAdd(&d_numbers[kPerBlock ? blockIdx.x : 0], 1u);
    sim::atomic_scope(false);
    atomicAdd(&d_numbers[100], 1u);
}

TEST_CASE("atomics for a block race between blocks") {
    CHECK(always<block_scope_kernel<true>>(3) == "nothing");
    CHECK(always<block_scope_kernel<false>>(1) == "nothing");
    CHECK(always<block_scope_kernel<false>>(3) == "race");
}

/// Adds by atomics of 64 and of 32 bits.
template <unsigned int kAt>
__global__ void widths_kernel(unsigned int* d_numbers) {
    if (threadIdx.x < 64)
        atomicAdd(reinterpret_cast<unsigned long long*>(d_numbers), 1ull);
    else
        atomicAdd(&d_numbers[kAt], 1u);
}

TEST_CASE("atomics of different widths race") {
    CHECK(always<widths_kernel<2>>(1) == "nothing");
    CHECK(always<widths_kernel<1>>(1) == "race");
    CHECK(always<widths_kernel<0>>(1) == "race");
}

__device__ void store_thread(unsigned int* d_number) { *d_number = threadIdx.x; }
constexpr int kCallLine = __LINE__ + 3;
__global__ void calling_kernel(unsigned int* d_numbers) {
    if (threadIdx.x < 8) atomicAdd(&d_numbers[1], 1u);
    store_thread(d_numbers);
}

TEST_CASE("a race in a function is reported with the call in the kernel") {
    const DeviceBuffer<unsigned int> d_numbers(2);
    CUDA_CHECK(cudaMemset(d_numbers.data(), 0, d_numbers.bytes()));
    const Seen all = seen([&] { calling_kernel<<<1, 64>>>(d_numbers.data()); });
    REQUIRE(all.has_race());
    for (const std::uint32_t site : {all.findings[0].site, all.findings[0].other}) {
        const std::vector<std::string> lines = lens::lines_of(site);
        REQUIRE(lines.size() >= 2);
        CHECK(lines[0].ends_with(":" + std::to_string(kCallLine - 4)));
        CHECK(lines[1].ends_with(":" + std::to_string(kCallLine)));
    }
}

/// A thread in one of these loops spends almost all of its time in the lens.
__global__ void atomic_loop_kernel(unsigned int* d_numbers) {
    while (atomicAdd(&d_numbers[0], 0u) == 0) {}
}
__global__ void load_loop_kernel(unsigned int* d_numbers) {
    while (*static_cast<volatile unsigned int*>(d_numbers) == 0) ++d_numbers[1];
}
__global__ void fence_loop_kernel(unsigned int*) {
    for (;;) __threadfence();
}

TEST_CASE("an endless loop is stopped") {
    const Setting second("CUDA_SIM_TIMEOUT", 1);
    for (auto* const kernel : {atomic_loop_kernel, load_loop_kernel, fence_loop_kernel}) {
        unsigned int* d_numbers = nullptr;  // the reset frees it
        CUDA_CHECK(cudaMalloc(&d_numbers, 2 * sizeof(*d_numbers)));
        CUDA_CHECK(cudaMemset(d_numbers, 0, 2 * sizeof(*d_numbers)));
        kernel<<<1, 32>>>(d_numbers);
        CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
        CUDA_CHECK(cudaDeviceReset());
    }
}

/// The blocks wait for each other, which almost always finds one of them in the lens's part of an atomic.
__global__ void meeting_kernel(unsigned int* d_numbers) {
    d_numbers[1 + blockIdx.x] = 1;
    __threadfence();
    atomicAdd(&d_numbers[0], 1u);
    while (atomicAdd(&d_numbers[0], 0u) < gridDim.x) {}
    __threadfence();
    unsigned int sum = 0;
    for (unsigned int i = 0; i < gridDim.x; ++i) sum += d_numbers[1 + i];
    d_numbers[1 + gridDim.x + blockIdx.x] = sum;
}

/// The blocks wait for each other at the grid's barrier.
__device__ void meet_as_grid(unsigned int* d_numbers) {
    d_numbers[1 + blockIdx.x] = 1;
    sim::grid_barrier({__FILE__, __LINE__});  // this_grid().sync() calls the same function
    unsigned int sum = 0;
    for (unsigned int i = 0; i < gridDim.x; ++i) sum += d_numbers[1 + i];
    d_numbers[1 + gridDim.x + blockIdx.x] = sum;
}

TEST_CASE("blocks that wait for each other all arrive, and race with none") {
    constexpr unsigned int kBlocks = 4;
    const DeviceBuffer<unsigned int> d_numbers(1 + 2 * kBlocks);
    const auto check = [&](const auto& launch) {
        CUDA_CHECK(cudaMemset(d_numbers.data(), 0, d_numbers.bytes()));
        CHECK(seen(launch).findings.empty());
        const std::vector<unsigned int> numbers = d_numbers.to_host();
        CHECK(std::count(numbers.begin() + 1, numbers.end(), 1u) == kBlocks);
        CHECK(std::count(numbers.begin() + 1, numbers.end(), kBlocks) == kBlocks);
    };
    check([&] { meeting_kernel<<<kBlocks, 1>>>(d_numbers.data()); });
    const auto thread = [numbers = d_numbers.data()] { meet_as_grid(numbers); };
    check([&] {  // cudaLaunchCooperativeKernel calls the same function
        sim::launch_grid({"meet_as_grid", nullptr, {__FILE__, __LINE__}}, {kBlocks, 1, 0, nullptr, true},
                         sim::thread_call(thread));
    });
}

/// Only the first 32 threads reach the barrier.
__global__ void branch_kernel(unsigned int* d_numbers) {
    if (threadIdx.x >= 32) return;
    __syncthreads();
    d_numbers[threadIdx.x] = 1;
}

TEST_CASE("a barrier that some threads have skipped by returning is reported") {
    const DeviceBuffer<unsigned int> d_numbers(32);
    const auto is_partial = [&](unsigned int threads) {
        const Seen all = seen([&] { branch_kernel<<<3, threads>>>(d_numbers.data()); });
        return all.counts.barriers.begin()->second.was_partial;
    };
    CHECK(is_partial(64));
    CHECK_FALSE(is_partial(32));
}

/// Lane 0 makes many more accesses than the lens keeps, and each other lane makes one.
__global__ void long_loop_kernel(unsigned int* d_numbers, unsigned int turns) {
    for (unsigned int i = 0; i < (threadIdx.x == 0 ? turns : 1); ++i) atomicAdd(&d_numbers[threadIdx.x], 1u);
}

TEST_CASE("a long loop of one lane is counted completely, even in pieces") {
    const DeviceBuffer<unsigned int> d_numbers(32);
    CUDA_CHECK(cudaMemset(d_numbers.data(), 0, d_numbers.bytes()));
    constexpr unsigned int kTurns = (4 << 20) + 2;
    const auto atomics = seen([&] {
                             long_loop_kernel<<<1, 32>>>(d_numbers.data(), kTurns);
                         }).sum(lens::Space::global, lens::Kind::atomic);
    CHECK(atomics.lanes == kTurns + 31);
    CHECK(atomics.requests == kTurns);
}

/// The last access of the last thread is a load.
__global__ void last_load_kernel(unsigned int* d_numbers) {
    if (threadIdx.x == 0) d_numbers[0] = 1;
    if (threadIdx.x == 255 && d_numbers[0] == 7) d_numbers[1] = 1;
}

TEST_CASE("a load that nothing follows is also examined") {
    CHECK(always<last_load_kernel>(1, 20) == "race");
}

/// Thread 0 of each block adds to a number under a lock.
template <bool kFences>
__global__ void lock_kernel(unsigned int* d_numbers) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&d_numbers[0], 0u, 1u) != 0) {}
    if (kFences) __threadfence();
    d_numbers[1] += 1;
    if (kFences) __threadfence();
    atomicExch(&d_numbers[0], 0u);
}

TEST_CASE("a lock orders what it guards if it has its fences") {
    CHECK(always<lock_kernel<true>>(20) == "nothing");
    CHECK(always<lock_kernel<false>>(20) == "race");
}

/// Each thread reads a neighbour's value from one of two buffers, and stores it in the other.
template <bool kBarrier>
__global__ void double_buffer_kernel(unsigned int* d_numbers) {
    __shared__ unsigned int buffer[2][kThreads];
    buffer[0][threadIdx.x] = threadIdx.x;
    for (unsigned int turn = 0; turn < 4; ++turn) {
        if (kBarrier) __syncthreads();
        buffer[(turn + 1) % 2][threadIdx.x] = buffer[turn % 2][(threadIdx.x + 1) % kThreads];
    }
    d_numbers[blockIdx.x * kThreads + threadIdx.x] = buffer[0][threadIdx.x];
}

TEST_CASE("two buffers need one barrier per turn") {
    CHECK(always<double_buffer_kernel<true>>(3) == "nothing");
    CHECK(always<double_buffer_kernel<false>>(3) == "race");
}

template <bool kAtomic>
__global__ void count_kernel(unsigned int* d_numbers) {
    if (kAtomic)
        atomicAdd(d_numbers, 1u);
    else
        ++*d_numbers;
}
__global__ void one_per_block_kernel(unsigned int* d_numbers) {
    if (threadIdx.x == 0) *d_numbers += 1;
}
__global__ void own_bytes_kernel(unsigned int* d_numbers) {
    reinterpret_cast<unsigned char*>(d_numbers)[blockIdx.x * kThreads + threadIdx.x] = 1;
}

TEST_CASE(
    "an increment that is not atomic races in a block and between blocks, and neighbouring bytes don't") {
    CHECK(always<count_kernel<true>>(3) == "nothing");
    CHECK(always<count_kernel<false>>(1) == "race");
    CHECK(always<one_per_block_kernel>(3) == "race");
    CHECK(always<own_bytes_kernel>(3) == "nothing");
}

/// Thread 0 stores a number and tells thread 32, which runs later, by a volatile flag.
template <bool kRelease, bool kAcquire>
__global__ void flag_kernel(unsigned int* d_numbers) {
    volatile unsigned int* const flag = d_numbers;
    if (threadIdx.x == 0) {
        d_numbers[1] = 1;
        if (kRelease) __threadfence();
        *flag = 1;
    } else if (threadIdx.x == 32 && *flag == 1) {
        if (kAcquire) __threadfence();
        d_numbers[2] = d_numbers[1];
    }
}

template <void (*kKernel)(unsigned int*)>
bool in_order_has_race() {
    const DeviceBuffer<unsigned int> d_numbers(3);
    CUDA_CHECK(cudaMemset(d_numbers.data(), 0, d_numbers.bytes()));
    const Setting order("CUDA_SIM_SEED", 0);
    return seen([&] { kKernel<<<1, 64>>>(d_numbers.data()); }).has_race();
}

TEST_CASE("a volatile flag in global memory orders accesses if both fences are there") {
    CHECK_FALSE(in_order_has_race<flag_kernel<true, true>>());
    CHECK(in_order_has_race<flag_kernel<false, true>>());
    CHECK(in_order_has_race<flag_kernel<true, false>>());
}

/// Both threads read the flag, which no thread sets.
template <bool kCompares>
__global__ void unset_flag_kernel(unsigned int* d_numbers) {
    const auto look = [&] {
        if (kCompares)
            atomicCAS(d_numbers, 7u, 8u);
        else
            (void)*static_cast<volatile unsigned int*>(d_numbers);
    };
    if (threadIdx.x == 0) {
        d_numbers[1] = 1;
        __threadfence();
        look();
    } else if (threadIdx.x == 32) {
        look();
        __threadfence();
        d_numbers[2] = d_numbers[1];
    }
}

TEST_CASE("a volatile load and a comparison that fails make nothing visible to others") {
    CHECK(in_order_has_race<unset_flag_kernel<false>>());
    CHECK(in_order_has_race<unset_flag_kernel<true>>());
}

/// The last levels of a reduction tree, as they were written before 2017.
__global__ void volatile_warp_kernel(unsigned int* d_sums) {
    __shared__ unsigned int values[64];
    volatile unsigned int* const v = values;
    v[threadIdx.x] = 1;
    v[threadIdx.x + 32] = 1;
    for (unsigned int half = 32; half > 0; half /= 2)
        v[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + half % 32];
    d_sums[threadIdx.x] = v[threadIdx.x];
}

TEST_CASE("volatile shared memory does not replace __syncwarp") {
    const DeviceBuffer<unsigned int> d_sums(32);
    CHECK(seen([&] { volatile_warp_kernel<<<1, 32>>>(d_sums.data()); }).has_race());
}

/// All threads store 1, or each its warp's number, or its lane's.
enum class Stored { one, of_warp, of_lane };
template <Stored kStored>
__global__ void one_place_kernel(unsigned int* d_place) {
    __shared__ unsigned int place;
    const unsigned int value = kStored == Stored::one       ? 1
                               : kStored == Stored::of_warp ? threadIdx.x / 32 + 1
                                                            : threadIdx.x % 32 + 1;
    place = value;
    *d_place = value;
}

/// Stores 16 bytes at once.
__global__ void wide_place_kernel(int4* d_place) { *d_place = make_int4(1, 2, 3, 4); }

__global__ void store_and_read_kernel(unsigned int* d_place) {
    if (*d_place == 0) *d_place = 1;
}

TEST_CASE("threads that store the same value at one place don't race, but others may read there") {
    CHECK(always<one_place_kernel<Stored::one>>(3) == "nothing");
    CHECK(always<one_place_kernel<Stored::of_warp>>(3) == "race");
    CHECK(always<one_place_kernel<Stored::of_lane>>(1) == "race");
    CHECK(always<store_and_read_kernel>(1) == "race");

    const DeviceBuffer<int4> d_wide(1);
    CHECK(!seen([&] { wide_place_kernel<<<2, 64>>>(d_wide.data()); }).has_race());
}

}  // namespace race_checks
