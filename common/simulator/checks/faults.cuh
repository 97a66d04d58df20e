/// @file
/// @brief Checks that a kernel which breaks CUDA's rules is stopped, and that the words say who and where.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

#include "../../checks/catch.hpp"
#include "../../cuda/device_buffer.cuh"

namespace fault_checks {

// What UndefinedBehaviorSanitizer finds by itself, it ends the program for.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

__global__ void healthy_kernel(int* d_cell) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(d_cell, sum);
}

/// @brief What the simulator says of the kernel that `launch` launches, in words.
///
/// Meanwhile all calls must answer `expected`; after a reset a healthy kernel must run.
template <typename Launch>
std::string fault_of(Launch launch, cudaError_t expected) {
    launch();
    const std::string words = sim::last_fault();
    void* pointer = nullptr;
    CHECK(cudaGetLastError() == expected);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&pointer, 4) == expected);  // it comes again with every call that needs the device
    CHECK(cudaDeviceSynchronize() == expected);
    CHECK(cudaGetLastError() == expected);
    int value = 0;
    CHECK(cudaSetDevice(0) == cudaSuccess);  // but what only asks about the device is answered
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CHECK(cudaMemset(nullptr, 0, 0) == cudaSuccess);
    launch();
    CHECK(cudaGetLastError() == expected);
    CHECK(sim::last_fault() == words);  // nothing runs any more

    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(std::string(sim::last_fault()).empty());
    const DeviceBuffer<int> cell(1);
    CHECK(cudaMemset(cell.data(), 0, sizeof(int)) == cudaSuccess);
    healthy_kernel<<<20, 100>>>(cell.data());
    CHECK(cell.to_host()[0] == 2000);
    return words;
}

/// Whether the words hold all of the parts, in this order.
bool says(const std::string& words, const std::vector<std::string>& parts) {
    std::size_t at = 0;
    for (const std::string& part : parts) {
        at = words.find(part, at);
        if (at == std::string::npos) return false;
        at += part.size();
    }
    return true;
}

std::string here(int line) { return "common/simulator/checks/faults.cuh:" + std::to_string(line); }

// --- Memory -------------------------------------------------------------------------------------

__global__ void write_kernel(int* d_data, unsigned int block, unsigned int thread) {
    const unsigned int index = threadIdx.x + blockDim.x * threadIdx.y;
    if (blockIdx.x + gridDim.x * blockIdx.y == block && index == thread) *d_data = 1;
}

__global__ void read_kernel(const int* d_data, int* d_result) {
    if (threadIdx.x == 3) *d_result = *d_data;
}

TEST_CASE("a write where no memory is names the kernel, the launch, the block and the thread") {
    int* const wild = reinterpret_cast<int*>(std::uintptr_t{0x1230});
    const int line = __LINE__ + 1;
    const auto launch = [=] { write_kernel<<<dim3(3, 2), dim3(8, 4)>>>(wild, 4, 13); };
    const std::string words = fault_of(launch, cudaErrorIllegalAddress);
    CAPTURE(words);
    CHECK(says(words, {"write_kernel (launched at ", here(line), "), block (1, 1, 0): thread (5, 1, 0)",
                       "address 0x1230, where no memory is"}));
}

TEST_CASE("a read where no memory is, is found, and a read behind an allocation") {
    int* d_data = nullptr;
    CUDA_CHECK(cudaMalloc(&d_data, 4000));
    const auto behind = [=] { read_kernel<<<1, 32>>>(d_data + 1024, d_data); };
    CHECK(says(fault_of(behind, cudaErrorIllegalAddress),
               {"read_kernel", "block (0, 0, 0): thread (3, 0, 0)"}));
    CUDA_CHECK(cudaMalloc(&d_data, 1 << 16));  // whole pages, so that the one before is at once before it
    const auto before = [=] { read_kernel<<<1, 32>>>(d_data - 1, d_data); };
    CHECK(says(fault_of(before, cudaErrorIllegalAddress),
               {"read_kernel", "block (0, 0, 0): thread (3, 0, 0)"}));
}

TEST_CASE("memory that has been freed is found") {
    int* d_data = nullptr;
    CUDA_CHECK(cudaMalloc(&d_data, 4000));
    CUDA_CHECK(cudaFree(d_data));
    const auto launch = [=] { write_kernel<<<1, 1>>>(d_data, 0, 0); };
    CHECK(says(fault_of(launch, cudaErrorIllegalAddress), {"write_kernel", "thread (0, 0, 0)"}));
}

__global__ void overrun_kernel(int* d_result) {
    extern __shared__ int overrun_cells[];
    overrun_cells[threadIdx.x] = 1;
    if (threadIdx.x == 0) *d_result = 1;
}

TEST_CASE("a write behind dynamic shared memory is found") {
    const auto launch = [] {
        int* d_result = nullptr;
        cudaMalloc(&d_result, sizeof(int));
        overrun_kernel<<<1, 65, 64 * sizeof(int)>>>(d_result);
    };
    CHECK(says(fault_of(launch, cudaErrorIllegalAddress), {"overrun_kernel", "thread (64, 0, 0)"}));
}

__global__ void wide_load_kernel(const uint4* d_from, uint4* d_to) {
    d_to[threadIdx.x] = __ldcs(&d_from[threadIdx.x]);
}

__global__ void wide_copy_kernel(const uint4* d_from, uint4* d_to) {
    d_to[threadIdx.x] = d_from[threadIdx.x];
}

TEST_CASE("a misaligned load with a cache hint is found") {
    const auto launch = [] {
        unsigned char* d_data = nullptr;
        cudaMalloc(&d_data, 64);
        wide_load_kernel<<<1, 1>>>(reinterpret_cast<const uint4*>(d_data + 4),
                                   reinterpret_cast<uint4*>(d_data + 32));
    };
    CHECK(says(fault_of(launch, cudaErrorMisalignedAddress),
               {"wide_load_kernel", "thread (0, 0, 0)", "misaligned"}));
}

/// Plain loads, which most CPUs allow from any address. Whatever is translated is compiled with checks of
/// their addresses.
__global__ void members_kernel(const int4* d_from, int* d_to) { *d_to = d_from->x + d_from->w; }

TEST_CASE("a misaligned 16-byte copy is found") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    const auto launch = [] {
        unsigned char* d_data = nullptr;
        cudaMalloc(&d_data, 64);
        wide_copy_kernel<<<1, 1>>>(reinterpret_cast<const uint4*>(d_data + 4),
                                   reinterpret_cast<uint4*>(d_data + 32));
    };
    CHECK(says(fault_of(launch, cudaErrorMisalignedAddress),
               {"wide_copy_kernel", "thread (0, 0, 0)", "misaligned"}));
}

__global__ void divide_kernel(int* d_result, int divisor) {
    if (threadIdx.x == 7) *d_result = 100 / divisor;
}

TEST_CASE("an integer division by zero is found, if the CPU minds") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
#if !defined(__x86_64__)
    return skip_check("this CPU divides by zero");
#endif
    const auto launch = [] {
        int* d_result = nullptr;
        cudaMalloc(&d_result, sizeof(int));
        divide_kernel<<<2, 32>>>(d_result, 0);
    };
    CHECK(says(fault_of(launch, cudaErrorLaunchFailure),
               {"divide_kernel", "thread (7, 0, 0) divides", "by zero"}));
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
    volatile char large[160 * 1024];
    large[index] = 1;
    if (threadIdx.x == 0) *d_result = large[index];
}

TEST_CASE("too deep a recursion, or too large a local array, is found") {
    int* d_result = nullptr;
    CUDA_CHECK(cudaMalloc(&d_result, sizeof(int)));
    recursive_kernel<<<1, 4>>>(d_result, 50);
    CUDA_CHECK(cudaGetLastError());
    CHECK(says(fault_of([=] { recursive_kernel<<<1, 4>>>(d_result, 100000); }, cudaErrorLaunchFailure),
               {"recursive_kernel", "thread (2, 0, 0) needs more than 128 KiB of stack"}));
    CHECK(says(fault_of([=] { large_array_kernel<<<1, 1>>>(d_result, 0); }, cudaErrorLaunchFailure),
               {"large_array_kernel", "thread (0, 0, 0) needs more than 128 KiB of stack"}));
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
             {"large_shared_kernel", "49160 bytes of shared memory", "49152"}));
}

// --- Waiting ------------------------------------------------------------------------------------

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
                       here(kDivergentLine + 2)}));
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
               {"wrong_mask_kernel", "thread (3, 0, 0) is not in the mask that it gives __any_sync at "}));
}

TEST_CASE("one fault among many blocks on many workers is found, and one only") {
    int* const wild = reinterpret_cast<int*>(std::uintptr_t{0x1230});
    for (const unsigned int block : {0u, 1u, 777u, 1999u}) {
        const std::string words =
            fault_of([=] { write_kernel<<<2000, 64>>>(wild, block, 63); }, cudaErrorIllegalAddress);
        CHECK(says(words, {"block (" + std::to_string(block) + ", 0, 0): thread (63, 0, 0)"}));
    }
}

// --- The host -----------------------------------------------------------------------------------

void own_handler(int) {}

TEST_CASE("a launch leaves the program's own signal handlers as they are, and catches faults all the same") {
    struct sigaction own {
    }, previous{}, after{};
    own.sa_handler = own_handler;
    sigaction(SIGSEGV, &own, &previous);
    int* const wild = reinterpret_cast<int*>(std::uintptr_t{0x1230});
    fault_of([=] { write_kernel<<<1, 1>>>(wild, 0, 0); }, cudaErrorIllegalAddress);
    sigaction(SIGSEGV, &previous, &after);
    CHECK(after.sa_handler == own_handler);
}

TEST_CASE("a fault is forgotten, and what calls have answered since, as checks that go on need it") {
    {
        const DeviceBuffer<int> freed_after_the_fault(1);
        write_kernel<<<1, 1>>>(reinterpret_cast<int*>(std::uintptr_t{0x1230}), 0, 0);
        CHECK_THROWS_AS(CUDA_CHECK(cudaGetLastError()), CudaError);
    }
    CHECK(cudaPeekAtLastError() == cudaErrorIllegalAddress);
    forget_fault();
    const DeviceBuffer<int> cell(1);
    write_kernel<<<1, 1>>>(cell.data(), 0, 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cell.to_host()[0] == 1);
}

TEST_CASE("members of a misaligned int4 are found") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    const auto launch = [] {
        int* d_data = nullptr;
        cudaMalloc(&d_data, 64);
        members_kernel<<<1, 1>>>(reinterpret_cast<const int4*>(d_data + 1), d_data);
    };
    CHECK(says(fault_of(launch, cudaErrorMisalignedAddress), {"members_kernel", "misaligned"}));
}

}  // namespace fault_checks
