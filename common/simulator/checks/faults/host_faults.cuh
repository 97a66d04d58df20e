/// @file
/// @brief Checks of the CPU's own faults, of its signal handlers, and of programs that ignore a fault.
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "../../../cuda/device_buffer.cuh"
#include "faults.cuh"

namespace fault_checks {

TEST_CASE("host code that uses device memory ends the program with a message") {
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
                if (kSanitized && (index < 0 || index > 99)) continue;  // AddressSanitizer finds these
                const auto [status, words] = use(index, write, before);
                CAPTURE(words, index, write, before);
                CHECK(status == 1);
                CHECK(words.find("simulator: host code at ") == 0);
                CHECK(words.find('\n') == words.size() - 1);
                CHECK(says(words, {byte_text(4 * index, 400), "cudaMemcpy"}));
            }
}

__global__ void out_of_time_kernel(int signals) {
    for (int i = 0; i < signals; ++i) raise(SIGXCPU);
}

TEST_CASE("a limit of CPU time ends host code with its line, and a kernel only at the fourth signal") {
    const int line = __LINE__ + 1;
    const auto [status, words] = process_of([] { std::exit(raise(SIGXCPU)); });
    CAPTURE(words);
    CHECK(status == -SIGXCPU);
    CHECK(says(words, {"simulator: host code at ", here(line), " uses more CPU time than allowed"}));
    for (const auto& [signals, ended_by] : {std::pair{3, 0}, {4, -SIGXCPU}})
        CHECK(process_of([=, sent = signals] {
                  out_of_time_kernel<<<1, 1>>>(sent);
                  cudaDeviceSynchronize();
                  std::exit(static_cast<int>(alarm(0)));  // no alarm is left
              }).first == ended_by);
    const auto [watched, nothing] = process_of([] {
        const auto tell = [](void*, const char*, std::size_t) -> ssize_t { _exit(alarm(0) > 0 ? 7 : 8); };
        stderr = fopencookie(nullptr, "w", {nullptr, tell, nullptr, nullptr});
        std::setvbuf(stderr, nullptr, _IONBF, 0);
        raise(SIGXCPU);
    });
    CHECK(watched == 7);
}

TEST_CASE("a signal ends a program that has device memory, after a kernel's fault is reported") {
    for (const int signal : {SIGSEGV, SIGBUS}) {
        for (const bool from_outside : {false, true}) {
            const auto [status, words] = process_of([=] {
                int* d_cell = nullptr;
                cudaMalloc(&d_cell, sizeof(int));
                if (from_outside)
                    kill(getpid(), signal);
                else
                    raise(signal);
            });
            CHECK(status == -signal);
            CHECK((words.empty() || words.starts_with("qemu: ")));  // QEMU says that it is uncaught
        }
    }
    const auto [status, words] = process_of([] {
        int* d_cell = nullptr;
        cudaMalloc(&d_cell, sizeof(int));
        write_kernel<<<1, 1>>>(reinterpret_cast<int*>(std::uintptr_t{0x1230}), 0, 0);
        raise(SIGSEGV);
    });
    CHECK(status == -SIGSEGV);
    CHECK(says(words, {"simulator: write_kernel", "address 0x1230"}));
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
    CUDA_CHECK(cudaMalloc(&d_cell, sizeof(int)));  // the handler from before the two must be set again
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
        alarm(20);  // ends the process if the kernel is endless
        int* d_cell = nullptr;
        cudaMalloc(&d_cell, sizeof(int));
        struct sigaction raising {};
        raising.sa_handler = raising_handler;
        sigaction(SIGSEGV, &raising, &before_raising_handler);
        write_kernel<<<1, 1>>>(d_cell, 0, 0);
        *const_cast<volatile int*>(d_cell) = 1;
    });
    CHECK(status == -SIGSEGV);
    CHECK(says(words, {" uses ", byte_text(0, 4)}));
}

TEST_CASE(
    "a fault and the errors that calls have returned since can be cleared, so that checks can continue") {
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
          cudaEventElapsedTime(&milliseconds, other_event, event), cudaStreamWaitEvent(other_stream, event),
          cudaStreamWaitEvent(stream, other_event), cudaEventDestroy(event)})
        CHECK(error == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CUDA_CHECK(cudaStreamDestroy(other_stream));
    CUDA_CHECK(cudaEventDestroy(other_event));
}

TEST_CASE("an unchecked error is reported once, when the program ends, and its status is not 0") {
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

TEST_CASE("a kernel's argument that points to the CPU's memory is named, and no other") {
    static int variable = 0;
    int local = 0, *d_data = nullptr, *d_freed = nullptr, *pinned = nullptr;
    const auto on_heap = std::make_unique<int>(0);
    CUDA_CHECK(cudaMalloc(&d_data, sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_freed, sizeof(int)));
    CUDA_CHECK(cudaFree(d_freed));
    CUDA_CHECK(cudaMallocHost(&pinned, sizeof(int)));
    const auto words_for = [](int* pointer) {
        return process_of([=] {
            setenv("CUDA_SIM_STRICT", "1", 1);
            for (int k = 0; k < 2; ++k) write_kernel<<<1, 1>>>(pointer, 1, 0);  // no thread uses the pointer
            std::exit(cudaDeviceSynchronize() == cudaSuccess ? 0 : 2);
        });
    };
    for (int* const wrong : {&variable, &local, on_heap.get()}) {
        const auto [status, words] = words_for(wrong);
        CHECK(status == 1);
        CHECK(says(words, {"simulator: argument d_data of write_kernel (launched at ",
                           " points to ordinary host memory"}));
        CHECK(words.find("argument", words.find("argument") + 1) == words.npos);
    }
    int* const wild = reinterpret_cast<int*>(std::uintptr_t{0x1230});
    for (int* const other :
         {d_data, d_data + 1, d_data - 1, d_freed, pinned, wild, static_cast<int*>(nullptr)})
        CHECK(words_for(other) == std::pair(0, std::string()));
    CUDA_CHECK(cudaFree(d_data));
    CUDA_CHECK(cudaFreeHost(pinned));
}

/// Calls a kernel without <<<>>>, through a pointer: clang rejects a direct call (see rejected.sh).
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

__global__ void first_thread_kernel(int* d_data) {
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) *d_data = 1;
}
/// Launches a kernel, and then calls it.
std::pair<int, std::string> launched_and_called() {
    return process_of([] {
        int* d_data = nullptr;
        cudaMalloc(&d_data, 100 * sizeof(int));
        first_thread_kernel<<<2, 64>>>(d_data);
        cudaDeviceSynchronize();
        void (*const kernel)(int*) = first_thread_kernel;
        kernel(d_data);
    });
}

TEST_CASE("a kernel that is called without <<<>>> ends the program and says so") {
    struct {
        std::pair<int, std::string> ended;
        const char* used;
    } const calls[] = {
        {called_plainly(write_kernel, 0u, 0u), " uses byte 0 of a buffer of 400 bytes allocated at "},
        {launched_and_called(), " uses byte 0 of a buffer of 400 bytes allocated at "},
        {called_plainly(plain_barrier_kernel), "host code uses a barrier, which only kernels can use. "},
        {called_plainly(plain_warp_kernel), "host code uses __any_sync, which only kernels can use. "},
        {called_plainly(plain_shared_kernel), "host code uses shared memory, which only kernels can use. "}};
    for (const auto& [ended, used] : calls) {
        CAPTURE(ended.second);
        CHECK(ended.first == 1);
        CHECK(says(ended.second, {"simulator: ", used, "<<<grid, block>>>"}));
    }
}

constexpr int kOddLine = __LINE__ + 1;
int value_at(const char* address) { return *reinterpret_cast<const int*>(address); }

TEST_CASE("an address that host code can't use ends the program with a line") {
    static const char* volatile odd = reinterpret_cast<const char*>(std::uintptr_t{1});
    const auto [status, words] = process_of([] { std::exit(value_at(odd)); });
    CHECK(status == -SIGABRT);
    CHECK(says(words, {"simulator: host code at ", here(kOddLine), " uses an address that is misaligned "}));
}

}  // namespace fault_checks
