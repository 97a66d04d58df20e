/// @file
/// @brief Checks that wrong uses of a block's shared memory are found, as are uses of too much shared memory
/// or of too much of a thread's stack.
#pragma once

#include "faults.cuh"

namespace fault_checks {

__global__ void overrun_kernel(int* d_result) {
    extern __shared__ int overrun_cells[];
    overrun_cells[threadIdx.x] = 1;
    if (threadIdx.x == 0) *d_result = 1;
}

TEST_CASE("a write past the end of dynamic shared memory is found") {
    const auto launch = [] {
        int* d_result = nullptr;
        cudaMalloc(&d_result, sizeof(int));
        overrun_kernel<<<1, 65, 64 * sizeof(int)>>>(d_result);
    };
    CHECK(says(fault_of(launch, cudaErrorIllegalAddress), {"overrun_kernel", "thread (64, 0, 0)"}));
}

__device__ int deep(int n) {
    volatile char kept[200] = {};
    kept[n % 200] = 1;
    return n == 0 ? 0 : deep(n - 1) + kept[n % 200];
}

__global__ void recursive_kernel(int* d_result, int depth) {
    if (threadIdx.x == 2) *d_result = deep(depth);
}

__global__ void large_array_kernel(int* d_result, int index) {
    volatile char large[700 * 1024];
    large[index] = 1;
    if (threadIdx.x == 0) *d_result = large[index];
}

TEST_CASE("too deep a recursion, or too large a local array, is found") {
    int* d_result = nullptr;
    CUDA_CHECK(cudaMalloc(&d_result, sizeof(int)));
    recursive_kernel<<<1, 4>>>(d_result, 50);
    CUDA_CHECK(cudaGetLastError());
    CHECK(says(fault_of([=] { recursive_kernel<<<1, 4>>>(d_result, 100000); }, cudaErrorLaunchFailure),
               {"recursive_kernel", "thread (2, 0, 0) at ", "needs more than 512 KiB of stack"}));
    CHECK(says(fault_of([=] { large_array_kernel<<<1, 1>>>(d_result, 0); }, cudaErrorLaunchFailure),
               {"large_array_kernel", "thread (0, 0, 0) ", "needs more than 512 KiB of stack"}));
}

template <int kCount>
__global__ void large_shared_kernel(int* d_result) {
    __shared__ int first[kCount / 2];
    __shared__ int second[kCount / 2];
    first[threadIdx.x] = second[threadIdx.x] = 1;
    *d_result = first[0] + second[0];
}

TEST_CASE("more than 48 KiB of static shared memory is found, and 48 KiB is not") {
    int* d_result = nullptr;
    CUDA_CHECK(cudaMalloc(&d_result, sizeof(int)));
    large_shared_kernel<48 * 256><<<3, 1>>>(d_result);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(
        says(fault_of([=] { large_shared_kernel<48 * 256 + 2><<<3, 1>>>(d_result); }, cudaErrorLaunchFailure),
             {"large_shared_kernel", "49160 bytes of shared memory, but may declare at most 49152"}));
    large_shared_kernel<48 * 256><<<3, 1, 16>>>(d_result);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(says(sim::last_fault(),
               {"49152 bytes of shared memory and the launch adds 16, but a block may use at most 49152"}));
}

__global__ void short_array_kernel(int* d_result) {
    __shared__ int cells[31];
    cells[threadIdx.x] = 1;
    if (threadIdx.x == 0) *d_result = cells[0];
}

TEST_CASE("a shared array that is one too short is found") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    int* d_result = nullptr;
    CUDA_CHECK(cudaMalloc(&d_result, sizeof(int)));
    CHECK(
        says(fault_of([=] { short_array_kernel<<<1, 32>>>(d_result); }, cudaErrorLaunchFailure),
             {"short_array_kernel", "thread (31, 0, 0) at ", "uses index 31 of an array of type 'int[31]'"}));
}

/// Stores through a pointer, because clang checks only indices of arrays.
__device__ void store(int* cells, int index) { cells[index] = 1; }

constexpr int kSharedLine = __LINE__ + 2;
__global__ void shared_neighbours_kernel(int index, bool atomic) {
    __shared__ int before[7], cells[10][3];
    if (threadIdx.x == 2) atomic ? (void)atomicAdd(&cells[0][0] + index, 1) : store(before, index);
}

TEST_CASE("a use right past the end of a shared array is found, and a write before its beginning") {
    const auto said = [](int index, bool atomic) {
        return fault_of([=] { shared_neighbours_kernel<<<2, 4>>>(index, atomic); }, cudaErrorIllegalAddress);
    };
    CHECK(says(said(7, false), {"shared_neighbours_kernel", "thread (2, 0, 0) at ",
                                "uses before[7], the byte right past the end",
                                "before (28 bytes, declared at ", here(kSharedLine)}));
    CHECK(says(said(1000, false),
               {"thread (2, 0, 0) at ", "uses before[1000], the address 3972 bytes past the end"}));
    CHECK(says(said(31, true), {"uses cells[31], the address 4 bytes past the end", "cells (120 bytes, "}));
    if (kSanitized) return;  // the sanitizer ends the program at a redzone
    CHECK(says(said(-1, true),
               {"a thread has written to cells[-1], the address 4 bytes before the beginning"}));
    // More than a page of 64 KiB before the array: past the redzone, but within the guard.
    CHECK(says(said(-16400, true),
               {"thread (2, 0, 0) at ", "uses cells[-16400], the address 65600 bytes before the beginning"}));
}

__global__ void dynamic_neighbours_kernel(int index) {
    extern __shared__ int dynamic_cells[];
    if (threadIdx.x == 0) store(dynamic_cells, index);
}

TEST_CASE("neighbours of dynamic shared memory are found") {
    const auto said = [](int index) {
        return fault_of([=] { dynamic_neighbours_kernel<<<1, 4, 13 * sizeof(int)>>>(index); },
                        cudaErrorIllegalAddress);
    };
    CHECK(says(said(16),
               {"thread (0, 0, 0) at ", "uses the address 12 bytes past the end of the dynamic shared memory",
                "asks for 52 bytes"}));
    if (kSanitized) return;
    CHECK(
        says(said(13), {"a thread has written to the byte right past the end of the dynamic shared memory"}));
    CHECK(says(
        said(-1),
        {"a thread has written to the address 4 bytes before the beginning of the dynamic shared memory"}));
}

__global__ void legal_array_kernel(int* d_result, int step) {
    volatile int legal[128 * 1024 - 16];  // CUDA allows 512 KiB
    for (int i = 0; i < 128 * 1024 - 16; i += step) legal[i] = i;
    __syncthreads();
    atomicAdd(d_result, legal[step * static_cast<int>(threadIdx.x)]);
}

TEST_CASE("each thread may have local arrays of 512 KiB") {
    int* d_result = nullptr;
    int result = 0;
    CUDA_CHECK(cudaMalloc(&d_result, sizeof(int)));
    CUDA_CHECK(cudaMemset(d_result, 0, sizeof(int)));
    legal_array_kernel<<<2, 64>>>(d_result, 1024);
    CUDA_CHECK(cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(result == 2 * 1024 * 63 * 64 / 2);
    CUDA_CHECK(cudaFree(d_result));
}

__global__ void bytes_kernel(int count) {
    extern __shared__ char dynamic_bytes[];
    for (int i = 0; i < count; ++i) const_cast<volatile char*>(dynamic_bytes)[i] = 1;
}

TEST_CASE("dynamic shared memory may be a single byte, and a store past it is found") {
    bytes_kernel<<<1, 1, 1>>>(1);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    if (kSanitized) return;
    CHECK(says(
        fault_of([] { bytes_kernel<<<1, 1, 1>>>(2); }, cudaErrorIllegalAddress),
        {"bytes_kernel", "the byte right past the end of the dynamic shared memory", "asks for 1 byte"}));
}

}  // namespace fault_checks
