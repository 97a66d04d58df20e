/// @file
/// @brief Checks that any fault stops the kernel and the thread, and that the message names both.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "../../../checks/setting.hpp"
#include "../../platform/source_lines.hpp"
#include "faults.cuh"

namespace fault_checks {

__global__ void divide_kernel(int* d_result, int divisor) {
    if (threadIdx.x == 7) *d_result = 100 / divisor;
}

TEST_CASE("an integer division by zero is found, on CPUs that do not trap, too") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    const auto launch = [] {
        int* d_result = nullptr;
        cudaMalloc(&d_result, sizeof(int));
        divide_kernel<<<2, 32>>>(d_result, 0);
    };
    CHECK(says(fault_of(launch, cudaErrorLaunchFailure),
               {"divide_kernel", "thread (7, 0, 0) at ", "divides", "by zero"}));
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

TEST_CASE("a thread that breaks a rule does not continue") {
    for (void (*const kernel)(int*, int*) :
         {too_much_shared_kernel, mask_and_on_kernel, divergence_and_on_kernel, misaligned_and_on_kernel,
          address_and_on_kernel}) {
        int *d_data = nullptr, reached = 0;  // host memory, which a kernel can use here
        CUDA_CHECK(cudaMalloc(&d_data, sizeof(int) << 14));
        kernel<<<1, 2>>>(d_data, &reached);
        CHECK(cudaGetLastError() != cudaSuccess);
        CHECK(reached == 0);
        forget_fault();
    }
}

/// Launches a kernel whose name it knows only as a template parameter.
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

TEST_CASE("without memory to look it up, a kernel has no name", "[alone]") {
    if (kAddressSanitizer) return skip_check("the sanitizer needs memory, too");
    CHECK(process_of([] {
              rlimit none{};
              setrlimit(RLIMIT_AS, &none);
              getrlimit(RLIMIT_AS, &none);
              if (none.rlim_cur != 0) _exit(0);  // QEMU ignores the limit
              _exit(sim::function_of(reinterpret_cast<const void*>(&healthy_kernel)).empty() ? 0 : 1);
          }).first == 0);
}

__global__ void assertion_kernel(unsigned int* d_data) {
    assert(threadIdx.x != 5);
    d_data[threadIdx.x] = 1;
}
__global__ void throwing_kernel(unsigned int*) {
    if (threadIdx.x == 5) throw std::runtime_error("thrown");
    __syncthreads();
}
__global__ void launching_kernel(unsigned int* d_data) {
    if (threadIdx.x == 5) throwing_kernel<<<1, 1>>>(d_data);
}
__global__ void trap_kernel(unsigned int* d_data) {
    if (threadIdx.x == 5) __builtin_trap();
    d_data[threadIdx.x] = 1;
}
__global__ void abort_kernel(unsigned int*) {
    if (threadIdx.x == 5) std::abort();
}
__global__ void large_frame_kernel(unsigned int* d_data) {
    volatile unsigned int large[300 * 1024];
    if (threadIdx.x != 5) return;
    large[d_data == nullptr ? 1 : 0] = 1;
    d_data[0] = large[0];
}

TEST_CASE("a fault that would end a program ends only the kernel, and the thread is named") {
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
               {"needs more than 512 KiB of stack"}));
    CHECK(says(said([](unsigned int* d) { launching_kernel<<<2, 64>>>(d); }, cudaErrorLaunchFailure),
               {"thread (5, 0, 0) launches throwing_kernel (launched at "}));
    if (kSanitized) return;  // the sanitizer ends the program before the simulator sees the next faults
    CHECK(says(said([](unsigned int* d) { trap_kernel<<<2, 64>>>(d); }, cudaErrorLaunchFailure),
               {"thread (5, 0, 0) at ", "executes a trap instruction, as __trap() does"}));
    CHECK(says(said([](unsigned int* d) { abort_kernel<<<2, 64>>>(d); }, cudaErrorLaunchFailure),
               {"thread (5, 0, 0) at ", "calls abort()"}));
}

__global__ void exit_kernel() {
    if (threadIdx.x == 5) std::exit(0);
}

TEST_CASE("a kernel that calls exit ends the program, with a message and a status other than 0") {
    const auto [status, words] = process_of([] { exit_kernel<<<2, 64>>>(); });
    CHECK(status == 1);
    CHECK(says(words, {"exit_kernel", "thread (5, 0, 0) at ", "calls exit()"}));
}

/// Called instead of printf if the compiler defines _FORTIFY_SOURCE, as Ubuntu's compilers do.
extern "C" __device__ int fortified_printf(int flag, const char* format, ...) __asm__("__printf_chk");

// Compilers replace some calls of printf by calls of puts and putchar.
__global__ void printing_kernel() {
    const char* const words = "a word";
    const int bytes = printf("thread %u", threadIdx.x);
    printf("\n");
    printf("%s\n", words);
    fortified_printf(1, "%s %d\n", words, bytes);
}

TEST_CASE("the output of kernels and of the host is in order") {
    std::fflush(stdout);  // else the process inherits buffered output
    const auto [status, printed] = process_of([] {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        const Setting one_after_another("CUDA_SIM_SEED", 0);
        puts("the host");
        printf("-");
        printing_kernel<<<1, 2>>>();
        const bool is_right =
            cudaDeviceSynchronize() == cudaSuccess && putchar('.') == '.' && printf("!\n") == 2;
        std::fflush(stdout);
        _exit(is_right ? 0 : 1);
    });
    CHECK(status == 0);
    CHECK(printed == "the host\n-thread 0\na word\na word 8\nthread 1\na word\na word 8\n.!\n");
}

}  // namespace fault_checks
