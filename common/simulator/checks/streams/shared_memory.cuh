/// @file
/// @brief Checks that a missing wait of the host for a kernel is found and named, where both use the same
/// memory.
#pragma once

#include <unistd.h>

#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "hazards.cuh"

namespace hazard_checks {

constexpr unsigned int kMany = 5000;  // several pages, of which the last one is not full

constexpr int kManagedLine = __LINE__ + 3;
int* managed_ints() {
    int* result = nullptr;
    CUDA_CHECK(cudaMallocManaged(&result, kMany * sizeof(int)));
    return result;
}
constexpr int kMappedLine = __LINE__ + 3;
int* mapped_ints() {
    int* result = nullptr;
    CUDA_CHECK(cudaMallocHost(&result, kMany * sizeof(int)));
    return result;
}

/// Managed memory, and pinned memory that is passed to kernels.
struct Shared {
    Shared() {
        for (unsigned int i = 0; i < kMany; ++i) in[i] = out[i] = pinned[i] = 1;
    }
    ~Shared() {
        for (int* const number : {in, out}) cudaFree(number);
        for (int* const number : {pinned, other}) cudaFreeHost(number);
    }
    int *const in = managed_ints(), *const out = managed_ints(), *const pinned = mapped_ints(),
               *const other = pinned_int();
    cudaEvent_t before = nullptr, after = nullptr;
};

__global__ void add_many_kernel(const int* in, unsigned int n, int* out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += in[i];
}
constexpr int kManyLine = __LINE__ + 2;
void add_many(const int* in, unsigned int n, int* out, cudaStream_t stream = nullptr) {
    add_many_kernel<<<n / 128 + 1, 128, 0, stream>>>(in, n, out);
}

std::string shared_here(int line) {
    return "common/simulator/checks/streams/shared_memory.cuh:" + std::to_string(line);
}

/// Runs a program that launches kernels, waits and then uses their memory. @return As for `process_of`.
template <typename Use>
std::pair<int, std::string> after_launch(void (*wait)(const Shared&), Use use) {
    return fault_checks::process_of([=] {
        Shared s;
        CUDA_CHECK(cudaEventCreate(&s.before));
        CUDA_CHECK(cudaEventCreate(&s.after));
        CUDA_CHECK(cudaEventRecord(s.before));
        add_many(s.in, 1, s.out);  // this kernel is sure to use the first byte first
        add_many(s.in, kMany, s.out);
        add_many(s.in, kMany, s.pinned);
        CUDA_CHECK(cudaEventRecord(s.after));
        wait(s);
        use(s);
    });
}

const std::pair<int, std::string> kNothing{0, ""};

void reads(const Shared& s) { (void)*const_cast<volatile int*>(s.out + kMany - 1); }
void changes(const Shared& s) { *const_cast<volatile int*>(s.out) = 1; }
void reads_pinned(const Shared& s) { (void)*const_cast<volatile int*>(s.pinned + 3000); }
void changes_input(const Shared& s) { *const_cast<volatile int*>(s.in) = 1; }

TEST_CASE("the host may use what a kernel writes, and change what it reads, only after a wait") {
    const std::string managed =
                          " of a managed buffer of 20000 bytes allocated at " + shared_here(kManagedLine),
                      pinned = " of a pinned buffer of 20000 bytes allocated at " + shared_here(kMappedLine),
                      kernel = ", which add_many_kernel (launched at " + shared_here(kManyLine) + ") ",
                      advice = ": the host has not waited for it, as cudaDeviceSynchronize() does\n";
    const std::tuple<void (*)(const Shared&), std::string> kUses[] = {
        {reads, "byte 19996" + managed + kernel + "writes" + advice},
        {changes, "byte 0" + managed + kernel + "writes" + advice},
        {reads_pinned, "byte 12000" + pinned + kernel + "writes" + advice},
        {changes_input, "byte 0" + managed + kernel + "reads" + advice}};
    for (const auto& [use, words] : kUses) {
        for (const auto& wait :
             {+[](const Shared&) {}, +[](const Shared& s) { cudaEventSynchronize(s.before); },
              +[](const Shared&) { device_int(); },
              +[](const Shared& s) { copy_in(device_int(), s.other, nullptr); },
              +[](const Shared&) { cudaMemset(device_int(), 0, sizeof(int)); }}) {
            const auto [status, said] = after_launch(wait, use);
            CAPTURE(said);
            CHECK(status == 1);
            CHECK(fault_checks::says(
                said, {"simulator: host code at common/simulator/checks/streams/shared_memory.cuh:",
                       " uses " + words}));
        }
        for (const auto& wait : {+[](const Shared&) { cudaDeviceSynchronize(); },
                                 +[](const Shared&) { cudaStreamSynchronize(nullptr); },
                                 +[](const Shared& s) { cudaEventSynchronize(s.after); },
                                 +[](const Shared&) { cudaFree(device_int()); },
                                 +[](const Shared& s) {
                                     cudaMemcpy(s.other, device_int(), sizeof(int), cudaMemcpyDeviceToHost);
                                 },
                                 +[](const Shared& s) { cudaMemset(s.in, 0, sizeof(int)); }})
            CHECK(after_launch(wait, use) == kNothing);
    }
}

TEST_CASE("a kernel in a stream is waited for by its own stream, not by another one") {
    for (const bool own : {false, true}) {
        const auto [status, said] = fault_checks::process_of([=] {
            const Shared s;
            const Stream one(cudaStreamNonBlocking), two(cudaStreamNonBlocking);
            add_many(s.in, kMany, s.out, one.stream);
            cudaMemcpy(s.other, device_int(), sizeof(int), cudaMemcpyDeviceToHost);  // also runs the kernel
            CUDA_CHECK(cudaStreamSynchronize(own ? one.stream : two.stream));
            reads(s);
        });
        CHECK(status == (own ? 0 : 1));
        CHECK(fault_checks::says(said, {"byte 19996 of a managed buffer", "add_many_kernel", "writes"}) ==
              !own);
    }
}

TEST_CASE("the host may use other memory while a kernel runs: also of the same page, or of another kernel") {
    CHECK(after_launch([](const Shared&) {},
                       [](const Shared& s) {
                           if (s.in[kMany - 1] != 1) _exit(2);  // kernels have only read this page
                           int* const more = managed_ints();
                           for (unsigned int i = 0; i < kMany; ++i) more[i] = 2;
                       }) == kNothing);
    CHECK(fault_checks::process_of([] {
              const Shared s;
              add_many(s.in, 100, s.out);
              add_many(s.in, 100, s.out + 100);
              for (unsigned int i = 200; i < kMany; ++i) s.out[i] = s.in[i] = 7;
              for (unsigned int i = 200; i < kMany; ++i)
                  if (s.out[i] != 7) _exit(2);
          }) == kNothing);
}

TEST_CASE("the system may read and write memory that kernels have used, after a wait") {
    CHECK(after_launch([](const Shared&) { cudaDeviceSynchronize(); },
                       [](const Shared& s) {
                           int ends[2];
                           if (pipe(ends) != 0 || write(ends[1], s.out, 4096) != 4096) _exit(2);
                           if (read(ends[0], s.in, 4096) != 4096) _exit(2);
                           if (s.in[1] != 2) _exit(2);
                       }) == kNothing);
}

TEST_CASE("a host with several threads gets no trap while a kernel runs") {
    CHECK(fault_checks::process_of([] {
              const Shared s;
              int* const more = managed_ints();
              std::thread other([=] {
                  int ends[2];
                  if (pipe(ends) != 0) _exit(2);
                  for (int round = 0; round < 100; ++round)
                      if (write(ends[1], more, 4096) != 4096 || read(ends[0], more, 4096) != 4096) _exit(3);
              });
              for (int round = 0; round < 100; ++round) {
                  add_many(s.in, kMany, s.out);
                  CUDA_CHECK(cudaDeviceSynchronize());
                  if (s.out[kMany - 1] != round + 2) _exit(2);
              }
              other.join();
          }) == kNothing);
}

}  // namespace hazard_checks
