/// @file
/// @brief Checks of interrupted threads: which accesses are interrupted, when, and what else is found.
#pragma once

#include <atomic>
#include <cstddef>
#include <ctime>
#include <future>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "../faults/faults.cuh"
#include "../grid/order.cuh"

namespace interleave_checks {

__global__ void racy_kernel(unsigned int* d_count) { ++*d_count; }

TEST_CASE("an increment that is not atomic loses counts where threads are interrupted", "[race]") {
    const DeviceBuffer<unsigned int> count(1);
    CUDA_CHECK(cudaMemset(count.data(), 0, sizeof(unsigned int)));
    racy_kernel<<<1, 256>>>(count.data());
    CHECK(count.to_host()[0] < 256);
}

__global__ void copying_kernel(unsigned int* d_count, std::size_t bytes) {
    unsigned int count = 0;
    memcpy(&count, d_count, bytes);
    ++count;
    memcpy(d_count, &count, bytes);
}

TEST_CASE("an increment of a copy loses counts where threads are interrupted", "[race]") {
    const DeviceBuffer<unsigned int> count(1);
    CUDA_CHECK(cudaMemset(count.data(), 0, sizeof(unsigned int)));
    copying_kernel<<<1, 256>>>(count.data(), sizeof(unsigned int));
    CHECK(count.to_host()[0] < 256);
}

__global__ void read_and_exchange_kernel(unsigned int* d_count) {
    atomicExch(d_count, atomicAdd(d_count, 0u) + 1);
}

TEST_CASE("an increment of two atomic operations loses counts where threads are interrupted", "[race]") {
    const DeviceBuffer<unsigned int> count(1);
    CUDA_CHECK(cudaMemset(count.data(), 0, sizeof(unsigned int)));
    read_and_exchange_kernel<<<1, 256>>>(count.data());
    CHECK(count.to_host()[0] < 256);
}

__global__ void racy_counts_kernel(volatile unsigned int* d_counts) {
    for (int k = 0; k < 20; ++k) d_counts[blockIdx.x] = d_counts[blockIdx.x] + 1;
}

std::vector<unsigned int> racy_counts() {
    const DeviceBuffer<unsigned int> counts(5);
    CUDA_CHECK(cudaMemset(counts.data(), 0, counts.bytes()));
    racy_counts_kernel<<<5, 64>>>(counts.data());
    return counts.to_host();
}

TEST_CASE("each seed and each block has interruptions of its own, the same each time", "[race]") {
    const auto first = order_checks::with_seed(1, racy_counts);
    CHECK(first == order_checks::with_seed(1, racy_counts));
    CHECK(first != order_checks::with_seed(2, racy_counts));
    CHECK(std::count(first.begin(), first.end(), first[0]) < 5);
}

#if SIM_IS_INSTRUMENTED
}  // namespace interleave_checks

// The functions that the compiler calls before each access, and those that interleave.cpp calls for host
// threads.
#define SIM_DECLARE(bytes)                     \
    void __tsan_read##bytes(void*);            \
    void __tsan_unaligned_read##bytes(void*);  \
    void __tsan_write##bytes(void*);           \
    void __tsan_read_write##bytes(void*);      \
    void __tsan_unaligned_write##bytes(void*); \
    void __tsan_unaligned_read_write##bytes(void*);
extern "C" {
SIM_DECLARE(1)
SIM_DECLARE(2)
SIM_DECLARE(4)
SIM_DECLARE(8)
SIM_DECLARE(16)
void __tsan_read_range(void*, std::size_t);
void __tsan_write_range(void*, std::size_t);

static std::atomic<unsigned int> sleeps = 0;
SIM_UNINTERRUPTED int nanosleep(const timespec* duration, timespec* left) {
    ++sleeps;
    return clock_nanosleep(CLOCK_REALTIME, 0, duration, left);
}

static volatile unsigned int yields = 0;
SIM_UNINTERRUPTED int sched_yield() noexcept {
    yields = yields + 1;
    return 0;
}
}
#undef SIM_DECLARE

namespace interleave_checks {

using Access = void (*)(void*);
#define SIM_LOADS(bytes) __tsan_read##bytes, __tsan_unaligned_read##bytes
#define SIM_STORES(bytes)                                                         \
    __tsan_write##bytes, __tsan_read_write##bytes, __tsan_unaligned_write##bytes, \
        __tsan_unaligned_read_write##bytes
const std::vector<Access> kLoads{SIM_LOADS(1), SIM_LOADS(2),  SIM_LOADS(4),
                                 SIM_LOADS(8), SIM_LOADS(16), [](void* p) { __tsan_read_range(p, 3); }};
const std::vector<Access> kStores{SIM_STORES(1), SIM_STORES(2),  SIM_STORES(4),
                                  SIM_STORES(8), SIM_STORES(16), [](void* p) { __tsan_write_range(p, 3); }};
#undef SIM_LOADS
#undef SIM_STORES

__global__ void access_kernel(Access access, char* d_cell, unsigned int* d_interrupted, int times = 50) {
    __shared__ volatile unsigned int last;
    for (int k = 0; k < times; ++k) {
        last = threadIdx.x;
        access(d_cell);
        if (last != threadIdx.x) atomicAdd(d_interrupted, 1u);
    }
}

__global__ void stores_kernel(volatile int* d_cell) {
    __shared__ volatile int cell;
    volatile int* const to = d_cell != nullptr ? d_cell : &cell;
    for (int k = 0; k < 200; ++k) *to = k;
}

TEST_CASE("each block waits once, before a store that other blocks see", "[race]") {
    const DeviceBuffer<int> cell(1);
    const auto sleeps_of_5_blocks = [](int* d_cell) {
        const unsigned int before = sleeps;
        stores_kernel<<<5, 64>>>(d_cell);
        CUDA_CHECK(cudaDeviceSynchronize());
        return sleeps - before;
    };
    CHECK(sleeps_of_5_blocks(cell.data()) == 5);
    CHECK(sleeps_of_5_blocks(nullptr) == 0);
}

TEST_CASE("a store of any size and alignment may be interrupted, and a load of what was read before",
          "[race]") {
    const DeviceBuffer<char> cell(16);
    const DeviceBuffer<unsigned int> interrupted(1);
    const auto interruptions = [&](Access access, int times) {
        CUDA_CHECK(cudaMemset(interrupted.data(), 0, interrupted.bytes()));
        access_kernel<<<1, 32>>>(access, cell.data(), interrupted.data(), times);
        return interrupted.to_host()[0];
    };
    for (const Access load : kLoads) {
        CHECK(interruptions(load, 1) == 0);
        CHECK(interruptions(load, 50) > 50);
    }
    for (const Access store : kStores) CHECK(interruptions(store, 50) > 50);
}

TEST_CASE("a load or a store of any size that leaves its allocation by a byte is found", "[race]") {
    for (const auto* const accesses : {&kLoads, &kStores})
        for (const Access access : *accesses) {
            char* d_cell = nullptr;
            CUDA_CHECK(cudaMalloc(&d_cell, 100));
            const auto launch = [=] { access_kernel<<<1, 1>>>(access, d_cell + 100, nullptr); };
            CHECK(
                fault_checks::says(fault_checks::fault_of(launch, cudaErrorIllegalAddress),
                                   {"thread (0, 0, 0) at ",
                                    "uses d_cell[0], the byte right past the end of a buffer of 100 bytes"}));
        }
    for (const Access access : {kLoads.back(), kStores.back()}) {
        char* d_cell = nullptr;
        CUDA_CHECK(cudaMalloc(&d_cell, 100));
        const auto launch = [=] { access_kernel<<<1, 1>>>(access, d_cell + 98, nullptr); };
        CHECK(fault_checks::says(fault_checks::fault_of(launch, cudaErrorIllegalAddress),
                                 {"thread (0, 0, 0) at ",
                                  "uses d_cell[2], the byte right past the end of a buffer of 100 bytes"}));
    }
}

TEST_CASE("a thread of the CPU lets others run after every 64th store, unless it is the first", "[race]") {
    static volatile int cell;
    const auto yields_of_6400_stores = [] {
        const unsigned int before = yields;
        for (int k = 0; k < 6400; ++k) cell = k;
        return yields - before;
    };
    CHECK(yields_of_6400_stores() == 0);
    CHECK(std::async(std::launch::async, yields_of_6400_stores).get() == 100);
    CHECK(cell == 6399);
}
#endif

}  // namespace interleave_checks
