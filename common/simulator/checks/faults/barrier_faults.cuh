/// @file
/// @brief Checks that endless loops are found, as are barriers and warp functions that threads can't pass.
#pragma once

#include <cstdlib>
#include <ctime>
#include <string>

#include "../../../cuda/device_buffer.cuh"
#include "faults.cuh"
#include "simulator/fault.h"

namespace fault_checks {

constexpr int kDivergentLine = __LINE__ + 4;
__global__ void divergent_kernel(unsigned int boundary) {
    if (threadIdx.x == boundary + 1) return;
    if (threadIdx.x < boundary) {
        __syncthreads();
    } else {
        __syncthreads();
    }
}

TEST_CASE("barriers at different lines are found, and both lines and all threads are named") {
    const std::string words = fault_of([] { divergent_kernel<<<2, 64>>>(16); }, cudaErrorLaunchFailure);
    CAPTURE(words);
    CHECK(says(words, {"divergent_kernel", "divergent barrier: threads 0-15 wait at ", here(kDivergentLine),
                       "; thread 16 waits at ", here(kDivergentLine + 2), "; threads 18-63 wait at ",
                       here(kDivergentLine + 2), ". All threads of a block must wait at the same "}));
    // Threads 60 to 63, which waited in the launch before, are not in these smaller blocks: not named.
    CHECK(says(fault_of([] { divergent_kernel<<<2, 60>>>(16); }, cudaErrorLaunchFailure),
               {"; threads 18-59 wait at ", here(kDivergentLine + 2)}));
}

constexpr int kWarpLine = __LINE__ + 5;
__global__ void barrier_against_warp_kernel() {
    if (threadIdx.x == 32 + 3) {
        __syncthreads();
    } else {
        __syncwarp();
        __syncthreads();
    }
}

TEST_CASE("a barrier that waits for a warp that waits for it is a deadlock") {
    const std::string words =
        fault_of([] { barrier_against_warp_kernel<<<1, 64>>>(); }, cudaErrorLaunchTimeout);
    CAPTURE(words);
    CHECK(says(words, {"deadlock", "threads 0-31 wait at ", here(kWarpLine + 1),
                       "; threads 32-34 wait for the other lanes in __syncwarp at ", here(kWarpLine),
                       "; thread 35 waits at ", here(kWarpLine - 2), "; threads 36-63 wait for"}));
}

__global__ void one_line_kernel() { threadIdx.x < 16 ? __syncthreads() : __syncwarp(); }

TEST_CASE("threads that wait on one line for a block and for a warp are named apart") {
    CHECK(says(fault_of([] { one_line_kernel<<<1, 32>>>(); }, cudaErrorLaunchTimeout),
               {"threads 0-15 wait at ", "; threads 16-31 wait for the other lanes in __syncwarp at "}));
}

__global__ void two_masks_kernel(int* d_result) {
    const unsigned int mask = threadIdx.x < 4 ? 0x1fu : 0xffffffffu;
    d_result[threadIdx.x] = __shfl_sync(mask, 1, 0);
}

__global__ void two_functions_kernel(int* d_result) {
    if (threadIdx.x < 4) {
        d_result[threadIdx.x] = __any_sync(0xffffffffu, 1);
    } else {
        d_result[threadIdx.x] = __all_sync(0xffffffffu, 1);
    }
}

TEST_CASE("lanes of one warp that name different masks, or call different functions, are a deadlock") {
    int* d_result = nullptr;
    CUDA_CHECK(cudaMalloc(&d_result, 32 * sizeof(int)));
    CHECK(says(fault_of([=] { two_masks_kernel<<<1, 32>>>(d_result); }, cudaErrorLaunchTimeout),
               {"two_masks_kernel", "deadlock", "threads 0-31 wait for the other lanes in __shfl_sync at "}));
    CHECK(says(fault_of([=] { two_functions_kernel<<<1, 32>>>(d_result); }, cudaErrorLaunchTimeout),
               {"threads 0-3 wait for the other lanes in __any_sync at ",
                "threads 4-31 wait for the other lanes in __all_sync at "}));
}

__global__ void wrong_mask_kernel(int* d_result) {
    if (threadIdx.x < 4) *d_result = __any_sync(0x7u, 1);
}

TEST_CASE("a mask without its caller is found") {
    int* d_result = nullptr;
    CUDA_CHECK(cudaMalloc(&d_result, sizeof(int)));
    CHECK(says(fault_of([=] { wrong_mask_kernel<<<1, 32>>>(d_result); }, cudaErrorLaunchFailure),
               {"wrong_mask_kernel", "thread (3, 0, 0) is not in the mask it passes to __any_sync at "}));
}

constexpr int kLeftOutLine = __LINE__ + 5;
__global__ void left_out_kernel(unsigned int first, unsigned int* d_count) {
    if (threadIdx.x == 7) return;
    __syncthreads();
    for (unsigned int half = first; half > 0; half /= 2) {
        if (threadIdx.x < half) __syncthreads();
    }
    atomicAdd(d_count, 1u);
}

TEST_CASE("a barrier that some threads have left out is found where early exits are not allowed") {
    const char* const name = "CUDA_SIM_EARLY_EXIT";
    unsigned int* d_count = nullptr;
    CUDA_CHECK(cudaMalloc(&d_count, sizeof(*d_count)));
    const auto said = [&](unsigned int first) {
        setenv(name, "0", 1);
        const std::string words =
            fault_of([=] { left_out_kernel<<<2, 64>>>(first, d_count); }, cudaErrorLaunchFailure);
        unsetenv(name);
        CUDA_CHECK(cudaMalloc(&d_count, sizeof(*d_count)));  // after the reset
        return words;
    };
    CHECK(says(said(16), {"left_out_kernel", "barrier left out: threads 0-6 wait at ", here(kLeftOutLine - 2),
                          "; thread 7 has returned; threads 8-63 wait at "}));
    setenv(name, "1", 1);
    left_out_kernel<<<1, 64>>>(0, d_count);
    CHECK(cudaGetLastError() == cudaSuccess);
    setenv(name, "0", 1);
    left_out_kernel<<<1, 7>>>(0, d_count);
    CHECK(cudaGetLastError() == cudaSuccess);
    left_out_kernel<<<1, 7>>>(4, d_count);
    unsetenv(name);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(says(sim::last_fault(), {"barrier left out: threads 0-3 wait at ", here(kLeftOutLine),
                                   "; threads 4-6 have returned after ", here(kLeftOutLine - 2)}));
    forget_fault();
}

constexpr int kSpinLine = __LINE__ + 4;
__global__ void spin_kernel(unsigned int* d_lock) {
    if (threadIdx.x == 0) atomicExch(d_lock, 1u);
    if (threadIdx.x == 3)
        while (atomicAdd(d_lock, 0u) != 0) {}
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(d_lock, 0u);
}

TEST_CASE("a kernel that makes no progress is stopped") {
    const auto launch = [] {
        unsigned int* d_lock = nullptr;
        cudaMalloc(&d_lock, sizeof(*d_lock));
        spin_kernel<<<2, 4>>>(d_lock);
    };
    setenv("CUDA_SIM_TIMEOUT", "1", 1);
    CHECK(says(fault_of(launch, cudaErrorLaunchTimeout),
               {"spin_kernel", "thread (3, 0, 0) at ", here(kSpinLine), " makes no progress: for 1 s"}));
    unsetenv("CUDA_SIM_TIMEOUT");
}

constexpr int kEndlessLine = __LINE__ + 2;
__global__ void endless_barriers_kernel(const unsigned int* d_lock) {
    while (*d_lock == 1) __syncthreads();
}

constexpr int kEndlessVoteLine = __LINE__ + 2;
__global__ void endless_votes_kernel(const unsigned int* d_lock) {
    while (__any_sync(0xffffffffu, *d_lock == 1)) {}
}

TEST_CASE("a loop whose threads wait for each other forever is stopped") {
    const auto said = [](void (*kernel)(const unsigned int*), unsigned int threads) {
        return fault_of(
            [=] {
                const unsigned int locked = 1;
                unsigned int* d_lock = nullptr;
                cudaMalloc(&d_lock, sizeof(*d_lock));
                cudaMemcpy(d_lock, &locked, sizeof(locked), cudaMemcpyHostToDevice);
                kernel<<<1, threads>>>(d_lock);
            },
            cudaErrorLaunchTimeout);
    };
    const char* const words =
        " makes no progress: the threads of its block have waited for each other 10000 times";
    setenv("CUDA_SIM_TIMEOUT", "1", 1);
    CHECK(says(said(endless_barriers_kernel, 1), {"endless_barriers_kernel", here(kEndlessLine), words}));
    CHECK(says(said(endless_votes_kernel, 2), {"endless_votes_kernel", here(kEndlessVoteLine), words}));
    unsetenv("CUDA_SIM_TIMEOUT");
}

/// Uses the CPU for 0.12 s. Time in which other programs keep this one from running does not count, nor does
/// it for the simulator's limit.
__device__ void be_busy() {
    const auto nanoseconds = [] {
        timespec used{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        return used.tv_sec * 1'000'000'000 + used.tv_nsec;
    };
    const auto start = nanoseconds();
    while (nanoseconds() - start < 120'000'000) {}
}

__global__ void busy_kernel(unsigned int* d_count, unsigned int times) {
    for (unsigned int k = 0; k < times; ++k) be_busy();
    atomicAdd(d_count, 1u);
}

/// Thread 0 waits until all other threads have returned.
__global__ void busy_returns_kernel(unsigned int* d_count) {
    if (threadIdx.x != 0) {
        be_busy();
        atomicAdd(d_count, 1u);
        return;
    }
    __syncthreads();
    atomicAdd(d_count, 1u);
}

/// Each thread waits slightly less often than the watchdog allows without progress. The kernel runs three
/// times as long as it takes until the simulator says that it is still running, because a busy machine may
/// deliver several ticks as one.
__global__ void busy_barriers_kernel(unsigned int* d_count) {
    for (unsigned int k = 0; k < 48; ++k) {
        if (threadIdx.x == 0) be_busy();
        for (unsigned int j = 0; j < 200; ++j) __syncthreads();
    }
    atomicAdd(d_count, 32u);
}

/// Launches a kernel in a process of its own, with a timeout of 1 s. @return The process's status, which is 0
/// if the kernel has counted to `expected`, and its output.
std::pair<int, std::string> patient_process(void (*launch)(unsigned int*), unsigned int expected) {
    return process_of([=] {
        setenv("CUDA_SIM_TIMEOUT", "1", 1);
        const DeviceBuffer<unsigned int> count(1);
        CUDA_CHECK(cudaMemset(count.data(), 0, count.bytes()));
        launch(count.data());
        _exit(cudaDeviceSynchronize() == cudaSuccess && count.to_host()[0] == expected ? 0 : 1);
    });
}

TEST_CASE("a kernel whose threads or blocks return one after another may take its time") {
    const std::pair<int, std::string> silent_success{0, ""};
    CHECK(patient_process([](unsigned int* d_count) { busy_kernel<<<1, 10>>>(d_count, 1); }, 10) ==
          silent_success);
    CHECK(patient_process([](unsigned int* d_count) { busy_kernel<<<10, 1>>>(d_count, 1); }, 10) ==
          silent_success);
    CHECK(patient_process([](unsigned int* d_count) { busy_kernel<<<1, 1>>>(d_count, 6); }, 1) ==
          silent_success);
    CHECK(patient_process([](unsigned int* d_count) { busy_returns_kernel<<<1, 11>>>(d_count); }, 11) ==
          silent_success);
}

TEST_CASE(
    "a kernel whose threads meet one after another may take its time, and says once that it still runs") {
    const auto [status, words] =
        patient_process([](unsigned int* d_count) { busy_barriers_kernel<<<2, 4>>>(d_count); }, 256);
    CHECK(status == 0);
    CHECK(words.find("simulator: busy_barriers_kernel (launched at ") == 0);
    CHECK(words.find(" is still running: 2 of its 2 blocks have begun\n") != std::string::npos);
    CHECK(std::count(words.begin(), words.end(), '\n') == 1);
}

/// Lanes 0 to 7 try to add up the values of all lanes.
__global__ void few_lanes_kernel(unsigned int* d_sum) {
    if (threadIdx.x >= 8) return;
    unsigned int value = threadIdx.x;
    for (unsigned int distance = warpSize / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    if (threadIdx.x == 0) *d_sum = value;
}

TEST_CASE("a sum by shuffles that includes lanes which have returned is named") {
    const std::string words = process_of([] {
                                  const DeviceBuffer<unsigned int> sum(1);
                                  few_lanes_kernel<<<1, 32>>>(sum.data());
                                  cudaDeviceSynchronize();
                              }).second;
    CHECK(words.find(
              " lane 0 of a warp (thread (0, 0, 0)) gets an undefined value from __shfl_down_sync at ") !=
          std::string::npos);
    CHECK(words.find(": it reads lane 16, which has returned") != std::string::npos);
}

TEST_CASE("a fault is also available as data, and its message can omit the advice") {
    setenv("CUDA_SIM_TIMEOUT", "1", 1);
    setenv("CUDA_SIM_ADVICE", "0", 1);
    sim::Fault fault;
    const std::string words = fault_of(
        [&fault] {
            unsigned int* d_lock = nullptr;
            cudaMalloc(&d_lock, sizeof(*d_lock));
            spin_kernel<<<1, 4>>>(d_lock);
            cudaDeviceSynchronize();
            fault = sim::fault();
        },
        cudaErrorLaunchTimeout);
    unsetenv("CUDA_SIM_ADVICE");
    unsetenv("CUDA_SIM_TIMEOUT");
    CHECK(fault.message == words);
    CHECK(words.find("CUDA_SIM_TIMEOUT") == std::string::npos);
    CHECK(fault.kind == sim::FaultKind::no_progress);
    CHECK(fault.kernel == "spin_kernel");
    CHECK(fault.block == "(0, 0, 0)");
    CHECK(fault.thread == "(3, 0, 0)");
    CHECK(fault.line == here(kSpinLine));
    CHECK(sim::fault().message.empty());
}

constexpr int kUnevenLine = __LINE__ + 4;
__global__ void uneven_loop_kernel(unsigned int n, unsigned int* d_count) {
    if (threadIdx.x >= 48) return;
    for (unsigned int i = threadIdx.x; i < n; i += 16) {
        __syncthreads();
        atomicAdd(d_count, 1u);
    }
}

TEST_CASE("a thread that has met others at a barrier, and returns without the next one, is found") {
    unsigned int* d_count = nullptr;
    CUDA_CHECK(cudaMalloc(&d_count, sizeof(*d_count)));
    uneven_loop_kernel<<<2, 64>>>(16, d_count);
    uneven_loop_kernel<<<2, 16>>>(16 * 3, d_count);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(
        says(fault_of([=] { uneven_loop_kernel<<<2, 64>>>(16 * 5 + 3, d_count); }, cudaErrorLaunchFailure),
             {"uneven_loop_kernel", "barrier left out: threads 0-34 wait at ", here(kUnevenLine),
              "; threads 35-47 have returned after ", here(kUnevenLine), "; threads 48-63 have returned. "}));
}

}  // namespace fault_checks
