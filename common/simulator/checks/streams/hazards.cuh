/// @file
/// @brief Checks that a missing wait between streams is found and named.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "../api/nccl.cuh"
#include "streams.cuh"

namespace hazard_checks {

using stream_checks::Stream;

std::string here(int line) { return "common/simulator/checks/streams/hazards.cuh:" + std::to_string(line); }

/// The simulator's message about a program, with the program's streams renumbered from 1.
template <typename Program>
std::string words_of(Program program) {
    cudaStream_t before;
    CUDA_CHECK(cudaStreamCreate(&before));
    CUDA_CHECK(cudaStreamDestroy(before));
    try {
        program();
        CUDA_CHECK(cudaDeviceSynchronize());
    } catch (const CudaError&) {}
    std::string words = sim::last_fault();
    for (std::uintptr_t number = 1; number <= 5; ++number) {
        const std::string name =
            "stream " + std::to_string(reinterpret_cast<std::uintptr_t>(before) - 0xff + number);
        for (std::size_t found = 0; (found = words.find(name, found)) != std::string::npos;)
            words.replace(found, name.size(), "stream " + std::to_string(number));
    }
    cudaDeviceReset();
    cudaGetLastError();
    return words;
}

/// The simulator's message about a program with the seeds 0 to 20; two messages if they differ.
template <typename Program>
std::string said(Program program) {
    const std::string words = order_checks::with_seed(0, [&] { return words_of(program); });
    if (!words.empty()) std::fprintf(stderr, "simulator: %s\n", words.c_str());
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const std::string other = order_checks::with_seed(seed, [&] { return words_of(program); });
        if (other != words) return words + "\nseed " + std::to_string(seed) + ": " + other;
    }
    return words;
}

// Each line that messages name is the only one of its function.
constexpr int kAddLine = __LINE__ + 1;
__global__ void add_kernel(const int* d_in, int* d_out) { *d_out = *d_in + 1; }

constexpr int kLaunchLine = __LINE__ + 2;
void launch(const int* d_in, int* d_out, cudaStream_t stream) {
    add_kernel<<<1, 1, 0, stream>>>(d_in, d_out);
    CUDA_CHECK(cudaGetLastError());
}
constexpr int kInLine = __LINE__ + 2;
void copy_in(int* d_to, const int* from, cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(d_to, from, sizeof(int), cudaMemcpyHostToDevice, stream));
}
constexpr int kOutLine = __LINE__ + 2;
void copy_out(int* to, const int* d_from, cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, d_from, sizeof(int), cudaMemcpyDeviceToHost, stream));
}
constexpr int kPinLine = __LINE__ + 3;
int* pinned_int() {
    int* result = nullptr;
    CUDA_CHECK(cudaMallocHost(&result, sizeof(int)));
    return result;
}
constexpr int kDeviceLine = __LINE__ + 3;
int* device_int() {
    int* result = nullptr;
    CUDA_CHECK(cudaMalloc(&result, sizeof(int)));
    return result;
}

/// Two streams, and numbers on the device and in pinned memory.
struct Program {
    ~Program() {
        for (int* const number : {in, out}) cudaFree(number);
        for (int* const number : {a, b}) cudaFreeHost(number);
    }
    const Stream s, t{cudaStreamNonBlocking};
    int *const in = device_int(), *const out = device_int(), *const a = pinned_int(), *const b = pinned_int();
};

const std::string kThread = "add_kernel (launched at " + here(kLaunchLine) +
                            "), block (0, 0, 0): thread (0, 0, 0) at " + here(kAddLine) + " uses ";
const std::string kNumber = "byte 0 of a buffer of 4 bytes allocated at " + here(kDeviceLine);
const std::string kPinned = "byte 0 of a pinned buffer of 4 bytes allocated at " + here(kPinLine);
const std::string kIn = " (" + here(kInLine) + ")", kOut = " (" + here(kOutLine) + ")";
const std::string kTwoCopies = " writes: no event or wait orders the two";
const std::string kKernel = ": no event or wait orders it and this kernel in stream ";

using stream_checks::wait_by_event;
using Wait = void (*)(cudaStream_t, cudaStream_t);

/// The message about a program that forgets to wait. With any kind of wait, there must be no message.
template <typename Work>
std::string said_without_wait(Work work) {
    const auto with = [&](Wait wait) {
        return said([&] {
            const Program p;
            work(p, p.s.stream, p.t.stream, wait);
        });
    };
    CHECK(with(wait_by_event) == "");
    CHECK(with([](cudaStream_t first, cudaStream_t) { cudaStreamSynchronize(first); }) == "");
    CHECK(with([](cudaStream_t, cudaStream_t) { cudaDeviceSynchronize(); }) == "");
    return with([](cudaStream_t, cudaStream_t) {});
}

// --- Streams ------------------------------------------------------------------------------------

TEST_CASE("a kernel that reads what another stream's copy writes is named, with the copy") {
    CHECK(said_without_wait([](const Program& p, cudaStream_t s, cudaStream_t t, Wait wait) {
              copy_in(p.in, p.a, s);
              wait(s, t);
              launch(p.in, p.out, t);
          }) == kThread + "d_in[0], " + kNumber + ", which cudaMemcpyAsync in stream 1" + kIn + " writes" +
                    kKernel + "2");
}

constexpr int kBesideLine = __LINE__ + 1;
__global__ void beside_kernel(int* d_numbers, int index) { d_numbers[index] = d_numbers[1]; }

TEST_CASE("a kernel may use the bytes next to those that another stream's copy writes, but not these") {
    for (const int index : {0, 3}) {
        const std::string words = said([=] {
            const Stream s, t;
            const DeviceBuffer<int> numbers(4);
            int* const number = pinned_int();
            CUDA_CHECK(cudaMemset(numbers.data(), 0, numbers.bytes()));
            copy_in(numbers.data(), number, s.stream);
            beside_kernel<<<1, 1, 0, t.stream>>>(numbers.data(), index);
            CUDA_CHECK(cudaDeviceSynchronize());
            cudaFreeHost(number);
        });
        CAPTURE(words);
        if (index == 0)
            CHECK(
                fault_checks::says(words, {"thread (0, 0, 0) at " + here(kBesideLine), "byte 0 of a buffer",
                                           "which cudaMemcpyAsync in stream 1" + kIn + " writes" + kKernel}));
        else
            CHECK(words.empty());
    }
}

TEST_CASE("a copy of a page, or of a byte more, is compared with a kernel that uses the next page") {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (const std::size_t more : {0, 1}) {
        const std::string words = said([=] {
            const Stream s, t;
            const DeviceBuffer<char> bytes(4 * page);
            char* pinned = nullptr;
            CUDA_CHECK(cudaMallocHost(&pinned, page + 1));
            CUDA_CHECK(cudaMemset(bytes.data(), 0, bytes.bytes()));
            const auto aligned = reinterpret_cast<std::uintptr_t>(bytes.data() + page) / page * page;
            int* const next_page = reinterpret_cast<int*>(aligned + page);
            CUDA_CHECK(cudaMemcpyAsync(reinterpret_cast<char*>(aligned), pinned, page + more,
                                       cudaMemcpyHostToDevice, s.stream));
            add_kernel<<<1, 1, 0, t.stream>>>(next_page, next_page + 1);
            CUDA_CHECK(cudaDeviceSynchronize());
            cudaFreeHost(pinned);
        });
        CAPTURE(words);
        CHECK(words.empty() == (more == 0));
        CHECK(words.empty() ==
              (words.find("no event or wait orders it and this kernel") == std::string::npos));
    }
}

TEST_CASE("a buffer that another stream's copy overwrites before a kernel has read it is named") {
    CHECK(said_without_wait([](const Program& p, cudaStream_t s, cudaStream_t t, Wait wait) {
              copy_in(p.in, p.a, s);
              wait_by_event(s, t);
              launch(p.in, p.out, t);
              wait(t, s);
              copy_in(p.in, p.b, s);
              cudaStreamSynchronize(s);  // the copy runs before the kernel or after it
          }) == kThread + "d_in[0], " + kNumber + ", which cudaMemcpyAsync in stream 1" + kIn + " writes" +
                    kKernel + "2");
}

TEST_CASE("a result that another stream copies before the kernel has written it is named") {
    CHECK(said_without_wait([](const Program& p, cudaStream_t s, cudaStream_t t, Wait wait) {
              launch(p.in, p.out, s);
              wait(s, t);
              copy_out(p.b, p.out, t);
          }) == kThread + "d_out[0], " + kNumber + ", which cudaMemcpyAsync in stream 2" + kOut + " reads" +
                    kKernel + "1");
}

TEST_CASE("a kernel that uses pinned memory which another stream's copy still has to use is named") {
    const auto said_of = [](Wait wait, bool kernel_writes) {
        const auto program = [=] {
            const Program p;
            *p.a = 0;
            CUDA_CHECK(cudaMemset(p.in, 0, sizeof(int)));
            CUDA_CHECK(cudaDeviceSynchronize());
            kernel_writes ? launch(p.in, p.a, p.t.stream) : launch(p.a, p.out, p.t.stream);
            wait(p.t.stream, p.s.stream);
            kernel_writes ? copy_in(p.out, p.a, p.s.stream) : copy_out(p.a, p.in, p.s.stream);
        };
        return order_checks::with_seed(0, [&] { return words_of(program); });  // the copy runs last
    };
    const Wait forgets = [](cudaStream_t, cudaStream_t) {};
    CHECK(said_of(forgets, false) ==
          kThread + kPinned + ", which cudaMemcpyAsync in stream 1" + kOut + " writes" + kKernel + "2");
    CHECK(said_of(forgets, true) == "cudaMemcpyAsync in stream 1" + kIn + " reads " + kPinned +
                                        ", which add_kernel in stream 2 (" + here(kLaunchLine) + ")" +
                                        kTwoCopies);
    for (const bool kernel_writes : {false, true}) CHECK(said_of(wait_by_event, kernel_writes) == "");
}

TEST_CASE("two copies that overlap are named, also if an event is recorded too early") {
    CHECK(said_without_wait([](const Program& p, cudaStream_t s, cudaStream_t t, Wait wait) {
              cudaEvent_t early;
              CUDA_CHECK(cudaEventCreate(&early));
              CUDA_CHECK(cudaEventRecord(early, s));
              copy_in(p.in, p.a, s);
              CUDA_CHECK(cudaStreamWaitEvent(t, early));
              CUDA_CHECK(cudaEventSynchronize(early));
              wait(s, t);
              copy_out(p.b, p.in, t);
          }) == "cudaMemcpyAsync in stream 2" + kOut + " reads " + kNumber +
                    ", which cudaMemcpyAsync in stream 1" + kIn + kTwoCopies);
}

TEST_CASE("a copy that has run early, before a kernel in its stream, is still compared with others") {
    CHECK(said_without_wait([](const Program& p, cudaStream_t s, cudaStream_t t, Wait wait) {
              copy_in(p.in, p.a, t);
              launch(p.in, p.in, t);
              CUDA_CHECK(cudaMemset(p.out, 0, sizeof(int)));
              int other = 0;
              CUDA_CHECK(cudaMemcpy(&other, p.out, sizeof(int), cudaMemcpyDeviceToHost));
              CUDA_CHECK(cudaStreamSynchronize(s));  // does not wait for the other stream
              wait(t, s);
              copy_out(p.b, p.in, s);
          }) == "cudaMemcpyAsync in stream 1" + kOut + " reads " + kNumber +
                    ", which cudaMemcpyAsync in stream 2" + kIn + kTwoCopies);
}

TEST_CASE("an all-reduce that does not wait for a kernel in another stream is named") {
    const std::string words =
        said_without_wait([](const Program&, cudaStream_t s, cudaStream_t t, Wait wait) {
            ncclComm_t communicator;
            ncclCommInitAll(&communicator, 1, nullptr);
            const DeviceBuffer<unsigned long long> numbers(1);
            const auto number = reinterpret_cast<int*>(numbers.data());
            launch(number, number, t);
            wait(t, s);
            ncclAllReduce(numbers.data(), numbers.data(), 1, ncclUint64, ncclSum, communicator, s);
            ncclCommDestroy(communicator);
        });
    CHECK(fault_checks::says(words,
                             {kThread, "byte 0 of a buffer of 8 bytes", "which ncclAllReduce in stream 1"}));
}

TEST_CASE("cudaMemset and cudaMemcpy wait for a stream, but not for a non-blocking one") {
    const auto set = [](bool blocking) {
        const Program p;
        cudaMemset(p.out, 0, sizeof(int));
        launch(p.in, p.out, blocking ? p.s.stream : p.t.stream);
    };
    const auto copy = [](bool blocking) {
        const Program p;
        int result = 0;
        launch(p.in, p.out, blocking ? p.s.stream : p.t.stream);
        CUDA_CHECK(cudaMemcpy(&result, p.out, sizeof(int), cudaMemcpyDeviceToHost));
        if (!blocking) throw std::logic_error("cudaMemcpy did not return the error");
    };
    const auto is_named = [](const std::string& words, const std::string& call) {
        return fault_checks::says(
            words, {kThread + "d_out[0], " + kNumber + ", which " + call + " in the default stream (",
                    kKernel + "2"});
    };
    CHECK(is_named(said([&] { set(false); }), "cudaMemset"));
    CHECK(is_named(said([&] { copy(false); }), "cudaMemcpy"));
    CHECK(said([&] { set(true); }) == "");
    CHECK(said([&] { copy(true); }) == "");
}

}  // namespace hazard_checks
