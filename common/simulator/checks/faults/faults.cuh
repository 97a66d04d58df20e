/// @file
/// @brief How checks read a kernel's fault, and checks that the message names the thread and the line.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "../../platform/sanitizer.hpp"

namespace fault_checks {

// UndefinedBehaviorSanitizer ends the program if it finds something by itself.
constexpr bool kSanitized = kAddressSanitizer;

// In clang's interleaved build, a plain copy of 16 bytes is a memcpy, whose addresses nothing checks. Clang's
// ordinary build uses an instruction whose addresses the CPU checks.
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
    __syncwarp();  // the warp is not full: the simulator must have forgotten the faulty kernel's threads
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(d_cell, sum);
}

#ifdef SIM_ADDRESS_SANITIZER
/// Whether AddressSanitizer still has marks of frames on the signal handlers' stack, where no handler runs.
__global__ void marked_kernel(int* d_is_marked) {
    stack_t stack{};
    sigaltstack(nullptr, &stack);
    *d_is_marked = __asan_region_is_poisoned(stack.ss_sp, stack.ss_size) != nullptr;
}
#endif

/// @brief The simulator's message about the kernel that `launch` launches.
///
/// Also checks that every call returns `expected` until a reset, and that a healthy kernel runs after it.
template <typename Launch>
std::string fault_of(Launch launch, cudaError_t expected) {
    launch();
    const std::string words = sim::last_fault();
    std::fprintf(stderr, "simulator: %s\n", words.c_str());
    void* pointer = nullptr;
    CHECK(cudaGetLastError() == expected);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&pointer, 4) == expected);  // every call that needs the device returns the error again
    CHECK(cudaDeviceSynchronize() == expected);
    CHECK(cudaGetLastError() == expected);
    int value = 0;
    CHECK(cudaSetDevice(0) == cudaSuccess);  // but calls that only query the device succeed
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CHECK(cudaMemset(nullptr, 0, 0) == cudaSuccess);
    launch();
    CHECK(cudaGetLastError() == expected);
    CHECK(sim::last_fault() == words);  // no kernel runs any more

    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(std::string(sim::last_fault()).empty());
    const DeviceBuffer<int> cell(1);
    CHECK(cudaMemset(cell.data(), 0, sizeof(int)) == cudaSuccess);
    healthy_kernel<<<20, 50>>>(cell.data());
    CHECK(cell.to_host()[0] == 1000);
#ifdef SIM_ADDRESS_SANITIZER
    marked_kernel<<<1, 1>>>(cell.data());
    CHECK(cell.to_host()[0] == 0);
#endif
    return words;
}

/// Whether the text contains all of the parts, in this order.
bool says(const std::string& words, const std::vector<std::string>& parts) {
    std::size_t at = 0;
    for (const std::string& part : parts) {
        at = words.find(part, at);
        if (at == std::string::npos) return false;
        at += part.size();
    }
    return true;
}

/// Runs code that may end the program in a process of its own. @return Its exit status, or its signal as a
/// negative number, and its output.
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

/// A line of the calling file, in the form that messages use.
std::string here(int line, const char* file = __builtin_FILE()) {
    return std::string(file) + ":" + std::to_string(line);
}

/// How messages describe a byte. @param[in] byte Its index in an allocation of `bytes` bytes.
std::string byte_text(std::ptrdiff_t byte, std::size_t bytes) {
    const std::ptrdiff_t past = byte - static_cast<std::ptrdiff_t>(bytes);
    const auto number = [](std::ptrdiff_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); };
    const std::string where = byte < 0    ? "the address " + number(-byte) + " before the beginning"
                              : past == 0 ? "the byte right past the end"
                              : past > 0  ? "the address " + number(past) + " past the end"
                                          : "byte " + std::to_string(byte);
    return where + " of a buffer of " + number(static_cast<std::ptrdiff_t>(bytes));
}

constexpr int kWriteLine = __LINE__ + 3;
__global__ void write_kernel(int* d_data, unsigned int block, unsigned int thread) {
    const unsigned int index = threadIdx.x + blockDim.x * threadIdx.y;
    if (blockIdx.x + gridDim.x * blockIdx.y == block && index == thread) *d_data = 1;
}

TEST_CASE("a write outside every allocation names the kernel, the launch, the block and the thread") {
    int *const wild = reinterpret_cast<int*>(std::uintptr_t{0x1230}), *d_other = nullptr;
    CUDA_CHECK(cudaMalloc(&d_other, 4));
    const int line = __LINE__ + 1;
    const auto launch = [=] { write_kernel<<<dim3(3, 2), dim3(8, 4)>>>(wild, 4, 13); };
    const std::string words = fault_of(launch, cudaErrorIllegalAddress);
    CAPTURE(words);
    CHECK(says(words, {"write_kernel (launched at ", here(line), "), block (1, 1, 0): thread (5, 1, 0)",
                       " at ", here(kWriteLine), " uses address 0x1230, which is in no allocation"}));
}

}  // namespace fault_checks
