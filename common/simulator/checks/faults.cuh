/// @file
/// @brief Checks that a kernel which breaks CUDA's rules is stopped, and that the words say who and where.
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../checks/catch.hpp"
#include "../../cuda/device_buffer.cuh"

namespace fault_checks {

// What UndefinedBehaviorSanitizer finds by itself, it ends the program for.
constexpr bool kSanitized = kAddressSanitizer;

// In clang's interleaved build a plain copy of 16 bytes is a memcpy, and nothing checks its addresses. Its
// ordinary build uses an instruction that the CPU checks.
#if !defined(__clang__)
constexpr bool kCopiesByMemcpy = false;
#elif __has_feature(thread_sanitizer)
constexpr bool kCopiesByMemcpy = true;
#else
constexpr bool kCopiesByMemcpy = false;
#endif

__global__ void healthy_kernel(int* d_cell) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncwarp();  // of a warp that is not full: what the faulty kernel's threads did must be forgotten
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
    std::fprintf(stderr, "simulator: %s\n", words.c_str());
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
    healthy_kernel<<<20, 50>>>(cell.data());
    CHECK(cell.to_host()[0] == 1000);
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

/// Runs what may end the program in a process of its own. @return Its exit status, or its signal as a
/// negative number, and what it has said.
template <typename Work>
std::pair<int, std::string> process_of(Work work) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGABRT}) signal(number, SIG_DFL);  // not Catch2's
        work();
        _exit(0);
    }
    close(ends[1]);
    std::string words;
    char buffer[256];
    for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof(buffer))) > 0;)
        words.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    std::fputs(words.c_str(), stderr);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), words};
}

std::string here(int line) { return "common/simulator/checks/faults.cuh:" + std::to_string(line); }

// --- Memory -------------------------------------------------------------------------------------

constexpr int kWriteLine = __LINE__ + 3;
__global__ void write_kernel(int* d_data, unsigned int block, unsigned int thread) {
    const unsigned int index = threadIdx.x + blockDim.x * threadIdx.y;
    if (blockIdx.x + gridDim.x * blockIdx.y == block && index == thread) *d_data = 1;
}

constexpr int kReadLine = __LINE__ + 3;
template <typename T>
__global__ void read_kernel(const T* d_data, T* d_result) {
    if (threadIdx.x == 3) *d_result = *d_data;
}

TEST_CASE("a write where no memory is names the kernel, the launch, the block and the thread") {
    int *const wild = reinterpret_cast<int*>(std::uintptr_t{0x1230}), *d_other = nullptr;
    CUDA_CHECK(cudaMalloc(&d_other, 4));
    const int line = __LINE__ + 1;
    const auto launch = [=] { write_kernel<<<dim3(3, 2), dim3(8, 4)>>>(wild, 4, 13); };
    const std::string words = fault_of(launch, cudaErrorIllegalAddress);
    CAPTURE(words);
    CHECK(says(words, {"write_kernel (launched at ", here(line), "), block (1, 1, 0): thread (5, 1, 0)",
                       " at ", here(kWriteLine), " uses address 0x1230, where no memory is"}));
}

/// How messages name a byte, counted from the beginning of an allocation.
std::string byte_text(std::ptrdiff_t byte, std::size_t bytes) {
    const std::ptrdiff_t past = byte - static_cast<std::ptrdiff_t>(bytes);
    const auto number = [](std::ptrdiff_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); };
    const std::string where = byte < 0    ? number(-byte) + " before the beginning"
                              : past == 0 ? "the byte right past the end"
                              : past > 0  ? number(past) + " past the end"
                                          : "byte " + std::to_string(byte);
    return where + " of a buffer of " + number(static_cast<std::ptrdiff_t>(bytes));
}

TEST_CASE("a read right behind or before an allocation of whole pages is found") {
    for (const std::ptrdiff_t index : {-1, 1 << 14}) {
        int* d_data = nullptr;
        const int line = __LINE__ + 1;
        CUDA_CHECK(cudaMalloc(&d_data, 1 << 16));
        const auto launch = [=] { read_kernel<<<1, 32>>>(d_data + index, d_data); };
        CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
                   {"read_kernel", "block (0, 0, 0): thread (3, 0, 0) at ", here(kReadLine), " uses ",
                    byte_text(4 * index, 1 << 16), " allocated at ", here(line)}));
    }
}

// The CPU finds reads at the ends of pages only. Where threads are interrupted, each load is looked at.
TEST_CASE("a read of any byte right behind or before an allocation of any size is found", "[race]") {
    for (const std::size_t bytes : {1, 100, 255, 256, 257, 4000})
        for (const auto offset : {std::ptrdiff_t{-1}, std::ptrdiff_t(bytes), std::ptrdiff_t(bytes + 100)}) {
            char *d_data = nullptr, *d_result = nullptr;
            CUDA_CHECK(cudaMalloc(&d_data, bytes));
            CUDA_CHECK(cudaMalloc(&d_result, 1));
            const auto launch = [=] { read_kernel<<<1, 32>>>(d_data + offset, d_result); };
            CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
                       {"block (0, 0, 0): thread (3, 0, 0) at ", "uses ", byte_text(offset, bytes)}));
        }
}

__global__ void update_kernel(char* d_data) {
    if (threadIdx.x == 3) *d_data = static_cast<char>(*d_data + 1);
}

TEST_CASE("AddressSanitizer, if it is there, finds uses of the bytes behind and before an allocation") {
    if (!kSanitized) return skip_check("this is no build with AddressSanitizer");
    for (const std::size_t bytes : {1, 100, 3000})
        for (const auto offset : {std::ptrdiff_t{-1}, std::ptrdiff_t(bytes), std::ptrdiff_t(bytes + 70)}) {
            const auto [status, words] = process_of([bytes, offset] {
                char* d_data = nullptr;
                cudaMalloc(&d_data, bytes);
                update_kernel<<<1, 32>>>(d_data + offset);
            });
            CHECK(status == 1);
            CHECK(says(words, {"AddressSanitizer: use-after-poison", "update_kernel"}));
        }
}

TEST_CASE("a write to any byte right behind or before an allocation of any size is found") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    for (const std::size_t bytes : {1, 100, 255, 256, 257, 4000, 4095, 4096, 100000})
        for (const std::ptrdiff_t distance : {0, 1, 200, 255, 4096}) {
            for (const std::ptrdiff_t offset : {-1 - distance, std::ptrdiff_t(bytes) + distance}) {
                char* d_data = nullptr;
                CUDA_CHECK(cudaMalloc(&d_data, bytes));
                const auto launch = [=] { update_kernel<<<1, 32>>>(d_data + offset); };
                CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
                           {"update_kernel (launched at ", byte_text(offset, bytes)}));
            }
        }
}

TEST_CASE("the first and the last byte of an allocation may be used") {
    for (const std::size_t bytes : {1, 100, 255, 256, 257, 4095, 4096, 4097}) {
        const DeviceBuffer<char> data(bytes);
        update_kernel<<<1, 32>>>(data.data());
        update_kernel<<<1, 32>>>(data.data() + bytes - 1);
        CHECK(cudaGetLastError() == cudaSuccess);
    }
}

TEST_CASE("memory that has been freed is found") {
    int *d_data = nullptr, *d_other = nullptr;
    const int line = __LINE__ + 1;
    CUDA_CHECK(cudaMalloc(&d_data, 4000));
    CUDA_CHECK(cudaFree(d_data));
    CUDA_CHECK(cudaMalloc(&d_other, 4000));
    const auto launch = [=] { write_kernel<<<1, 1>>>(d_data, 0, 0); };
    CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
               {"write_kernel", "thread (0, 0, 0)",
                byte_text(0, 4000) + " allocated at " + here(line) + " and freed"}));
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

constexpr int kWideLine = __LINE__ + 2;
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
               {"wide_load_kernel", "thread (0, 0, 0) at ", here(kWideLine), "misaligned"}));
}

/// Plain loads, which most CPUs allow from any address. Whatever is translated is compiled with checks of
/// their addresses.
__global__ void members_kernel(const int4* d_from, int* d_to) { *d_to = d_from->x + d_from->w; }

TEST_CASE("a misaligned 16-byte copy is found") {
    if (kSanitized || kCopiesByMemcpy) return skip_check("the simulator does not hear of it in this build");
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
               {"divide_kernel", "thread (7, 0, 0) at ", "divides", "by zero"}));
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
               {"recursive_kernel", "thread (2, 0, 0) at ", "needs more than 128 KiB of stack"}));
    CHECK(says(fault_of([=] { large_array_kernel<<<1, 1>>>(d_result, 0); }, cudaErrorLaunchFailure),
               {"large_array_kernel", "thread (0, 0, 0) ", "needs more than 128 KiB of stack"}));
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
             {"short_array_kernel", "thread (31, 0, 0) at ", "uses index 31 of an array that is 'int[31]'"}));
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
    // In a smaller block, the threads that waited in the last one are not named.
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

__global__ void too_much_shared_kernel(int*, int* reached) {
    __shared__ int large[48 * 256 + 1];
    large[threadIdx.x] = 1;
    *reached = large[0];
}

__global__ void mask_and_on_kernel(int*, int* reached) { *reached = __any_sync(0, 1) + 1; }

__global__ void divergence_and_on_kernel(int*, int* reached) {
    if (threadIdx.x == 0)
        __syncthreads();
    else
        __syncthreads();
    *reached = 1;
}

__global__ void misaligned_and_on_kernel(int* d_data, int* reached) {
    (void)__ldcs(reinterpret_cast<const uint2*>(d_data + 1));
    *reached = 1;
}

__global__ void address_and_on_kernel(int* d_data, int* reached) {
    d_data[1 << 14] = 1;
    *reached = 1;
}

TEST_CASE("a thread that breaks a rule does not go on") {
    for (void (*const kernel)(int*, int*) :
         {too_much_shared_kernel, mask_and_on_kernel, divergence_and_on_kernel, misaligned_and_on_kernel,
          address_and_on_kernel}) {
        int *d_data = nullptr, reached = 0;  // of the host, which a kernel can use here
        CUDA_CHECK(cudaMalloc(&d_data, sizeof(int) << 14));
        kernel<<<1, 2>>>(d_data, &reached);
        CHECK(cudaGetLastError() != cudaSuccess);
        CHECK(reached == 0);
        forget_fault();
    }
}

// --- The host -----------------------------------------------------------------------------------

TEST_CASE("the CPU's own use of device memory ends the program with a line that says so") {
    enum Before { nothing, set, copied, launched };
    const auto use = [](std::ptrdiff_t index, bool write, Before before) {
        return process_of([=] {
            int *d_data = nullptr, cell = 0;
            cudaMalloc(&d_data, 100 * sizeof(int));
            if (before == set) cudaMemset(d_data, 0, 100 * sizeof(int));
            if (before == copied) cudaMemcpy(&cell, d_data, sizeof(int), cudaMemcpyDeviceToHost);
            if (before == launched) write_kernel<<<1, 1>>>(d_data, 0, 0);
            volatile int* const cells = d_data;
            if (write)
                cells[index] = 1;
            else
                (void)cells[index];
        });
    };
    for (const bool write : {false, true})
        for (const Before before : {nothing, set, copied, launched})
            for (const std::ptrdiff_t index : {0, 10, 99, 100, -1}) {
                if (kSanitized && (index < 0 || index > 99)) continue;  // AddressSanitizer's to find
                const auto [status, words] = use(index, write, before);
                CAPTURE(words, index, write, before);
                CHECK(status == 1);
                CHECK(words.find("simulator: the CPU uses ") == 0);
                CHECK(says(words, {byte_text(4 * index, 400), "cudaMemcpy"}));
            }
}

sigjmp_buf before_the_fault;
void own_handler(int) { siglongjmp(before_the_fault, 1); }

TEST_CASE("a program's own signal handlers handle its own faults, and are in place without device memory") {
    struct sigaction own {
    }, previous{};
    own.sa_handler = own_handler;
    sigaction(SIGSEGV, &own, &previous);
    volatile int* const wild = reinterpret_cast<int*>(std::uintptr_t{0x1230});
    int caught = 0;
    const auto touch_wild = [&] {
        if (sigsetjmp(before_the_fault, 1) == 0)
            *wild = 1;
        else
            ++caught;
    };
    const auto own_is_in_place = [] {
        struct sigaction now {};
        sigaction(SIGSEGV, nullptr, &now);
        return now.sa_handler == own_handler;
    };
    fault_of([=] { write_kernel<<<1, 1>>>(const_cast<int*>(wild), 0, 0); }, cudaErrorIllegalAddress);
    CHECK(own_is_in_place());
    int* d_cell = nullptr;
    for (const bool reset : {false, true}) {
        CUDA_CHECK(cudaMalloc(&d_cell, sizeof(int)));
        touch_wild();
        write_kernel<<<1, 1>>>(d_cell, 0, 0);
        touch_wild();
        write_kernel<<<1, 1>>>(d_cell, 0, 0);
        CHECK_FALSE(own_is_in_place());
        CHECK((reset ? cudaDeviceReset() : cudaFree(d_cell)) == cudaSuccess);
        CHECK(own_is_in_place());
    }
    write_kernel<<<1, 1>>>(nullptr, 1, 0);  // a launch without device memory
    CHECK(own_is_in_place());
    touch_wild();
    CHECK(own_is_in_place());
    sigaction(SIGSEGV, &previous, nullptr);
    CHECK(caught == 5);
}

TEST_CASE("a handler that the program has set while it has device memory is not taken away") {
    struct sigaction own {
    }, previous{}, now{};
    own.sa_handler = own_handler;
    int* d_cell = nullptr;
    CUDA_CHECK(cudaMalloc(&d_cell, sizeof(int)));
    sigaction(SIGSEGV, &own, &previous);
    CUDA_CHECK(cudaFree(d_cell));
    sigaction(SIGSEGV, &previous, &now);
    CHECK(now.sa_handler == own_handler);
    CUDA_CHECK(cudaMalloc(&d_cell, sizeof(int)));  // so that the one from before both is set again
    CUDA_CHECK(cudaFree(d_cell));
}

struct sigaction before_raising_handler;
void raising_handler(int signal) {
    sigaction(signal, &before_raising_handler, nullptr);
    raise(signal);
}

TEST_CASE(
    "a handler that passes a signal on to the one before it, which is the simulator's, ends the program") {
    const auto [status, words] = process_of([] {
        alarm(20);  // ends what would go on forever
        int* d_cell = nullptr;
        cudaMalloc(&d_cell, sizeof(int));
        struct sigaction raising {};
        raising.sa_handler = raising_handler;
        sigaction(SIGSEGV, &raising, &before_raising_handler);
        write_kernel<<<1, 1>>>(d_cell, 0, 0);
        *const_cast<volatile int*>(d_cell) = 1;
    });
    CHECK(status == -SIGSEGV);
    CHECK(says(words, {"the CPU uses ", byte_text(0, 4)}));
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

/// Past the compiler's checks of indices, which see neither a pointer nor an address.
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
    CHECK(says(said(1000, false), {"thread (2, 0, 0) at ", "uses before[1000], 3972 bytes past the end"}));
    CHECK(says(said(31, true), {"uses cells[31], 4 bytes past the end", "cells (120 bytes, "}));
    if (kSanitized) return;  // which ends the program at a fence
    CHECK(says(said(-1, true), {"a thread has written cells[-1], 4 bytes before the beginning"}));
    CHECK(says(said(-10000, true),
               {"thread (2, 0, 0) at ", "uses cells[-10000], 40000 bytes before the beginning"}));
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
    CHECK(says(said(16), {"thread (0, 0, 0) at ", "uses 12 bytes past the end of the dynamic shared memory",
                          "asks for 52 bytes"}));
    if (kSanitized) return;
    CHECK(says(said(13), {"a thread has written the byte right past the end of the dynamic shared memory"}));
    CHECK(says(said(-1), {"a thread has written 4 bytes before the beginning of the dynamic shared memory"}));
}

TEST_CASE("there may be more allocations than the operating system has mappings") {
    constexpr std::size_t kMany = 40000;
    std::vector<int*> cells(kMany);
    for (int*& cell : cells) CUDA_CHECK(cudaMalloc(&cell, sizeof(int)));
    write_kernel<<<1, 1>>>(cells[kMany - 2], 0, 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    write_kernel<<<1, 1>>>(cells[kMany - 2] + 1, 0, 0);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(says(sim::last_fault(), {"the byte right past the end of a buffer of 4 bytes"}));
    forget_fault();
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
    left_out_kernel<<<1, 7>>>(4, d_count);
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

/// Launches a kernel that it knows as a template's parameter only.
template <void (*kKernel)(int*)>
void launch_parameter(int* d_data) {
    kKernel<<<1, 1>>>(d_data);
}
namespace {
__global__ void unnamed_space_kernel(int* d_data) { *d_data = 1; }
template <typename T>
__global__ void template_kernel(T* d_data) {
    *d_data = 1;
}
}  // namespace

TEST_CASE("a fault names the kernel, also if the launch knows it by another name") {
    const auto said = [](auto launch) {
        return fault_of([launch] { launch(reinterpret_cast<int*>(std::uintptr_t{0x1230})); },
                        cudaErrorIllegalAddress);
    };
    CHECK(says(said(launch_parameter<unnamed_space_kernel>), {"unnamed_space_kernel (launched at "}));
    CHECK(says(said(launch_parameter<template_kernel<int>>), {"template_kernel (launched at "}));
    CHECK(says(said([](int* d_data) { template_kernel<int><<<1, 1>>>(d_data); }),
               {"template_kernel<int> (launched at "}));
}

// --- What a GPU has no words for ----------------------------------------------------------------

constexpr int kSpinLine = __LINE__ + 4;
__global__ void spin_kernel(unsigned int* d_lock) {
    if (threadIdx.x == 0) atomicExch(d_lock, 1u);
    if (threadIdx.x == 3)
        while (atomicAdd(d_lock, 0u) != 0) {}
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(d_lock, 0u);
}

TEST_CASE("a kernel that gets nowhere is stopped") {
    const auto launch = [] {
        unsigned int* d_lock = nullptr;
        cudaMalloc(&d_lock, sizeof(*d_lock));
        spin_kernel<<<2, 4>>>(d_lock);
    };
    setenv("CUDA_SIM_TIMEOUT", "1", 1);
    CHECK(says(fault_of(launch, cudaErrorLaunchTimeout),
               {"spin_kernel", "thread (3, 0, 0) at ", here(kSpinLine), " gets nowhere: for 1 s"}));
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
    const auto said = [](void (*kernel)(const unsigned int*)) {
        return fault_of(
            [kernel] {
                const unsigned int locked = 1;
                unsigned int* d_lock = nullptr;
                cudaMalloc(&d_lock, sizeof(*d_lock));
                cudaMemcpy(d_lock, &locked, sizeof(locked), cudaMemcpyHostToDevice);
                kernel<<<1, 1>>>(d_lock);
            },
            cudaErrorLaunchTimeout);
    };
    const char* const words =
        " gets nowhere: the threads of its block have waited for each other 100000 times";
    setenv("CUDA_SIM_TIMEOUT", "1", 1);
    CHECK(
        says(said(endless_barriers_kernel), {"endless_barriers_kernel", " at ", here(kEndlessLine), words}));
    CHECK(says(said(endless_votes_kernel), {"endless_votes_kernel", " at ", here(kEndlessVoteLine), words}));
    unsetenv("CUDA_SIM_TIMEOUT");
}

__global__ void busy_kernel(unsigned int* d_count) {
    const long long start = clock64();
    while (clock64() - start < 150'000'000) {}
    atomicAdd(d_count, 1u);
}

__global__ void busy_barriers_kernel(unsigned int* d_count) {
    for (unsigned int k = 0; k < 10; ++k) {
        const long long start = clock64();
        while (clock64() - start < 150'000'000) {}
        __syncthreads();
    }
    atomicAdd(d_count, 10u);
}

TEST_CASE("a kernel whose threads return or meet one after another may take its time") {
    const DeviceBuffer<unsigned int> count(1);
    CUDA_CHECK(cudaMemset(count.data(), 0, count.bytes()));
    setenv("CUDA_SIM_TIMEOUT", "1", 1);
    busy_kernel<<<1, 10>>>(count.data());
    busy_barriers_kernel<<<1, 1>>>(count.data());
    unsetenv("CUDA_SIM_TIMEOUT");
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(count.to_host()[0] == 20);
}

__global__ void assertion_kernel(unsigned int* d_data) {
    assert(threadIdx.x != 5);
    d_data[threadIdx.x] = 1;
}
__global__ void throwing_kernel(unsigned int*) {
    if (threadIdx.x == 5) throw std::runtime_error("thrown");
    __syncthreads();
}
__global__ void trap_kernel(unsigned int* d_data) {
    if (threadIdx.x == 5) __builtin_trap();
    d_data[threadIdx.x] = 1;
}
__global__ void abort_kernel(unsigned int*) {
    if (threadIdx.x == 5) std::abort();
}
__global__ void large_frame_kernel(unsigned int* d_data) {
    volatile unsigned int large[300 * 256];
    if (threadIdx.x != 5) return;
    large[d_data == nullptr ? 1 : 0] = 1;
    d_data[0] = large[0];
}

TEST_CASE("what ends a program elsewhere ends a kernel, and the thread is named") {
    const auto said = [](void (*launch)(unsigned int*), cudaError_t error) {
        return fault_of(
            [=] {
                unsigned int* d_data = nullptr;
                cudaMalloc(&d_data, 64 * sizeof(*d_data));
                launch(d_data);
            },
            error);
    };
    CHECK(says(said([](unsigned int* d) { assertion_kernel<<<2, 64>>>(d); }, cudaErrorAssert),
               {"thread (5, 0, 0) at ", "fails its assertion: threadIdx.x != 5"}));
    CHECK(says(said([](unsigned int* d) { throwing_kernel<<<2, 64>>>(d); }, cudaErrorLaunchFailure),
               {"thread (5, 0, 0) throws an exception (thrown)"}));
    CHECK(says(said([](unsigned int* d) { large_frame_kernel<<<2, 64>>>(d); }, cudaErrorLaunchFailure),
               {"needs more than 128 KiB of stack"}));
    if (kSanitized) return;  // it ends the program before the simulator hears of the others
    CHECK(says(said([](unsigned int* d) { trap_kernel<<<2, 64>>>(d); }, cudaErrorLaunchFailure),
               {"thread (5, 0, 0) at ", "stops itself, as __trap() does"}));
    CHECK(says(said([](unsigned int* d) { abort_kernel<<<2, 64>>>(d); }, cudaErrorLaunchFailure),
               {"thread (5, 0, 0) at ", "calls abort()"}));
}

__global__ void exit_kernel() {
    if (threadIdx.x == 5) std::exit(0);
}

TEST_CASE("a kernel that calls exit ends the program, with a line and not as if all was well") {
    const auto [status, words] = process_of([] { exit_kernel<<<2, 64>>>(); });
    CHECK(status == 1);
    CHECK(says(words, {"exit_kernel", "thread (5, 0, 0) at ", "calls exit()"}));
}

TEST_CASE("streams and events that have been destroyed are found, also once there are others") {
    cudaStream_t stream = nullptr, other_stream = nullptr;
    cudaEvent_t event = nullptr, other_event = nullptr;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaStreamCreate(&other_stream));
    CUDA_CHECK(cudaEventCreate(&other_event));
    CUDA_CHECK(cudaEventRecord(other_event));
    float milliseconds = 0;
    for (const cudaError_t error :
         {cudaStreamDestroy(stream), cudaStreamSynchronize(stream), cudaEventRecord(event),
          cudaEventSynchronize(event), cudaEventElapsedTime(&milliseconds, event, other_event),
          cudaEventDestroy(event)})
        CHECK(error == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CUDA_CHECK(cudaStreamDestroy(other_stream));
    CUDA_CHECK(cudaEventDestroy(other_event));
}

TEST_CASE(
    "a fault that a program does not ask for is said when it ends, once, and it does not end with success") {
    const auto [status, words] = process_of([] {
        write_kernel<<<1, 1>>>(reinterpret_cast<int*>(std::uintptr_t{0x1230}), 0, 0);
        std::exit(0);
    });
    CHECK(status == 1);
    CHECK(says(words, {"simulator: write_kernel", "address 0x1230"}));
    const auto [noticed, nothing] = process_of([] {
        write_kernel<<<1, 1>>>(reinterpret_cast<int*>(std::uintptr_t{0x1230}), 0, 0);
        if (says(cudaGetErrorString(cudaGetLastError()),
                 {"an illegal memory access was encountered: write_kernel", "address 0x1230"}))
            std::exit(0);
        std::exit(7);
    });
    CHECK(noticed == 0);
    CHECK(nothing.empty());
}

/// A call of a kernel without <<<>>>, in a pointer's guise: as it is, clang refuses it (see refused.sh).
template <typename... Parameters, typename... Arguments>
std::pair<int, std::string> called_plainly(void (*kernel)(Parameters...), Arguments... arguments) {
    return process_of([=] {
        int* d_data = nullptr;
        cudaMalloc(&d_data, 100 * sizeof(int));
        kernel(d_data, arguments...);
    });
}
__global__ void plain_barrier_kernel(int*) { __syncthreads(); }
__global__ void plain_warp_kernel(int*) { __any_sync(0xffffffffu, 1); }
__global__ void plain_shared_kernel(int*) {
    __shared__ int counts[32];
    counts[threadIdx.x] = 1;
}

TEST_CASE("a kernel that is called without <<<>>> ends the program and says so") {
    struct {
        std::pair<int, std::string> ended;
        const char* used;
    } const calls[] = {
        {called_plainly(write_kernel, 0u, 0u), "byte 0 of a buffer of 400 bytes allocated at "},
        {called_plainly(plain_barrier_kernel), "a barrier, which is for kernels. "},
        {called_plainly(plain_warp_kernel), "__any_sync, which is for kernels. "},
        {called_plainly(plain_shared_kernel), "shared memory, which is for kernels. "}};
    for (const auto& [ended, used] : calls) {
        CAPTURE(ended.second);
        CHECK(ended.first == 1);
        CHECK(says(ended.second, {std::string("simulator: the CPU uses ") + used, "<<<grid, block>>>"}));
    }
}

constexpr int kOddLine = __LINE__ + 1;
int value_at(const char* address) { return *reinterpret_cast<const int*>(address); }

TEST_CASE("an address that the CPU's own code can't use ends the program with a line") {
    static const char* volatile odd = reinterpret_cast<const char*>(std::uintptr_t{1});
    const auto [status, words] = process_of([] { std::exit(value_at(odd)); });
    CHECK(status == -SIGABRT);
    CHECK(says(words, {"simulator: the CPU's own code at ", here(kOddLine),
                       " uses an address that is misaligned "}));
}

}  // namespace fault_checks
