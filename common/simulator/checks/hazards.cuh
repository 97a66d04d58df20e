/// @file
/// @brief Checks that a missing wait between streams, or between a stream and the host, is found and named.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "streams.cuh"

namespace hazard_checks {

using stream_checks::Stream;

std::string here(int line) { return "common/simulator/checks/hazards.cuh:" + std::to_string(line); }

/// What the simulator says of a program, whose streams are numbered from 1 on.
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

/// The same with seeds from 0 to 20; all words if they are not the same each time.
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

/// What the programs below use.
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
const std::string kNothing = ": no event and no wait orders ", kTwo = kNothing + "the two";
const std::string kKernel = kNothing + "it and this kernel in stream ";

using stream_checks::wait_by_event;

/// Waits of several kinds between work in a stream and work in another.
using Wait = void (*)(cudaStream_t, cudaStream_t);
const Wait kWaits[] = {wait_by_event, [](cudaStream_t first, cudaStream_t) { cudaStreamSynchronize(first); },
                       [](cudaStream_t, cudaStream_t) { cudaDeviceSynchronize(); }};
void forget(cudaStream_t, cudaStream_t) {}

// --- Streams ------------------------------------------------------------------------------------

TEST_CASE("a kernel that reads what another stream's copy writes is named, with the copy") {
    const auto program = [](Wait wait) {
        return said([=] {
            const Program p;
            copy_in(p.in, p.a, p.s.stream);
            wait(p.s.stream, p.t.stream);
            launch(p.in, p.out, p.t.stream);
        });
    };
    CHECK(program(forget) ==
          kThread + kNumber + ", which cudaMemcpyAsync in stream 1" + kIn + " writes" + kKernel + "2");
    for (const Wait wait : kWaits) CHECK(program(wait) == "");
}

TEST_CASE("a buffer that another stream's copy overwrites before a kernel has read it is named") {
    const auto program = [](Wait wait) {
        return said([=] {
            const Program p;
            copy_in(p.in, p.a, p.s.stream);
            wait_by_event(p.s.stream, p.t.stream);
            launch(p.in, p.out, p.t.stream);
            wait(p.t.stream, p.s.stream);
            copy_in(p.in, p.b, p.s.stream);
            cudaStreamSynchronize(p.s.stream);  // whichever is done first
        });
    };
    CHECK(program(forget) ==
          kThread + kNumber + ", which cudaMemcpyAsync in stream 1" + kIn + " writes" + kKernel + "2");
    for (const Wait wait : kWaits) CHECK(program(wait) == "");
}

TEST_CASE("a result that another stream copies before the kernel has written it is named") {
    const auto program = [](Wait wait) {
        return said([=] {
            const Program p;
            launch(p.in, p.out, p.s.stream);
            wait(p.s.stream, p.t.stream);
            copy_out(p.b, p.out, p.t.stream);
        });
    };
    CHECK(program(forget) ==
          kThread + kNumber + ", which cudaMemcpyAsync in stream 2" + kOut + " reads" + kKernel + "1");
    for (const Wait wait : kWaits) CHECK(program(wait) == "");
}

TEST_CASE("two copies that overlap are named, also if an event is recorded too early") {
    const auto program = [](Wait wait) {
        return said([=] {
            const Program p;
            wait_by_event(p.s.stream, p.t.stream);  // too early
            copy_in(p.in, p.a, p.s.stream);
            wait(p.s.stream, p.t.stream);
            copy_out(p.b, p.in, p.t.stream);
        });
    };
    CHECK(program(forget) == "cudaMemcpyAsync in stream 2" + kOut + " reads " + kNumber +
                                 ", which cudaMemcpyAsync in stream 1" + kIn + " writes" + kTwo);
    for (const Wait wait : kWaits) CHECK(program(wait) == "");
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
            words, {kThread + kNumber + ", which " + call + " in the default stream (", kKernel + "2"});
    };
    CHECK(is_named(said([&] { set(false); }), "cudaMemset"));
    CHECK(is_named(said([&] { copy(false); }), "cudaMemcpy"));
    CHECK(said([&] { set(true); }) == "");
    CHECK(said([&] { copy(true); }) == "");
}

// --- The host -----------------------------------------------------------------------------------

/// Fills a number as a program does, or as the system does for it.
void store(int* number) { *number = 7; }
void read_number(int* number) {
    int ends[2];
    const int seven = 7;
    if (pipe(ends) != 0 || write(ends[1], &seven, sizeof(int)) != sizeof(int) ||
        read(ends[0], number, sizeof(int)) != sizeof(int))
        throw std::runtime_error("no pipe");
    for (const int end : ends) close(end);
}

TEST_CASE("a pinned buffer that is filled before it has been copied is named, also if the system fills it") {
    const std::string in_stream = "cudaMemcpyAsync in stream 1" + kIn + " reads " + kPinned;
    for (const auto fill : {store, read_number})
        for (const bool waits : {false, true}) {
            const std::string words = said([=] {
                const Program p;
                *p.a = 1;
                copy_in(p.in, p.a, p.s.stream);
                if (waits) CUDA_CHECK(cudaStreamSynchronize(p.s.stream));
                fill(p.a);
            });
            CHECK(words == (waits ? "" : in_stream + ", which the host has changed without waiting for it"));
        }
    CHECK(fault_checks::says(words_of([] {  // no program creates a stream here
                                 int *const number = pinned_int(), *const d_number = device_int();
                                 copy_in(d_number, number, nullptr);
                                 *number = 7;
                                 cudaFree(d_number);
                                 cudaFreeHost(number);
                             }),
                             {"the default stream", kPinned, "the host has changed"}));
}

TEST_CASE(
    "a copy's target that the host uses before it waits ends the program with a line that names the copy") {
    const auto use = [](bool writes, void (*wait)(cudaStream_t)) {
        return fault_checks::process_of([=] {
            const Program p;
            copy_out(p.b, p.in, p.t.stream);
            wait(p.t.stream);
            volatile int* const number = p.b;
            if (writes)
                *number = 1;
            else
                (void)*number;
        });
    };
    const auto event = [](cudaStream_t stream) {
        cudaEvent_t copied;
        cudaEventCreate(&copied);
        cudaEventRecord(copied, stream);
        cudaEventSynchronize(copied);
    };
    for (const bool writes : {false, true}) {
        for (const auto& wait :
             {+[](cudaStream_t) {}, +[](cudaStream_t stream) { cudaStreamDestroy(stream); },
              +[](cudaStream_t) { cudaStreamSynchronize(nullptr); }}) {
            const auto [status, words] = use(writes, wait);
            CHECK(status == 1);
            CHECK(fault_checks::says(words,
                                     {"simulator: the CPU's own code at common/simulator/checks/hazards.cuh:",
                                      " uses " + kPinned + ", which cudaMemcpyAsync in stream ",
                                      kOut + " writes: the host has not waited for it"}));
        }
        for (const auto& wait : {+event, +[](cudaStream_t stream) { cudaStreamSynchronize(stream); },
                                 +[](cudaStream_t) { cudaDeviceSynchronize(); }})
            CHECK(use(writes, wait) == std::pair(0, std::string()));
    }
}

// --- Nothing ------------------------------------------------------------------------------------

__global__ void add_one_kernel(const int* d_in, unsigned int n, int* d_out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = d_in[i] + 1;
}

constexpr unsigned int kNumbers = 3000, kChunk = 700;  // a chunk's ends are within pages

/// Adds 1 to each of many numbers, chunk by chunk, in as many streams, back and forth by pinned memory.
/// @param same Whether the results replace the numbers.
std::string chunked(unsigned int flags, std::size_t slots, bool same) {
    return said([=] {
        std::vector<std::unique_ptr<Stream>> streams;
        for (std::size_t i = 0; i < slots; ++i) streams.push_back(std::make_unique<Stream>(flags));
        int *in = nullptr, *out = nullptr;
        CUDA_CHECK(cudaMallocHost(&in, kNumbers * sizeof(int)));
        CUDA_CHECK(cudaMallocHost(&out, kNumbers * sizeof(int)));
        if (same) std::swap(in, out), cudaFreeHost(in), in = out;
        const DeviceBuffer<int> d_in(kNumbers), d_out(kNumbers);
        std::iota(in, in + kNumbers, 0);
        for (unsigned int first = 0; first < kNumbers; first += kChunk) {
            const unsigned int n = std::min(kChunk, kNumbers - first);
            const cudaStream_t stream = streams[first / kChunk % slots]->stream;
            CUDA_CHECK(cudaMemcpyAsync(d_in.data() + first, in + first, n * sizeof(int),
                                       cudaMemcpyHostToDevice, stream));
            add_one_kernel<<<n / 32 + 1, 32, 0, stream>>>(d_in.data() + first, n, d_out.data() + first);
            CUDA_CHECK(cudaMemcpyAsync(out + first, d_out.data() + first, n * sizeof(int),
                                       cudaMemcpyDeviceToHost, stream));
        }
        for (const auto& stream : streams) CUDA_CHECK(cudaStreamSynchronize(stream->stream));
        for (unsigned int i = 0; i < kNumbers; ++i)
            if (out[i] != static_cast<int>(i) + 1) throw std::logic_error("a wrong number");
        cudaFreeHost(out);
        if (!same) cudaFreeHost(in);
    });
}

TEST_CASE("nothing is said of streams that share buffers, a chunk each") {
    for (const unsigned int flags : {cudaStreamDefault, cudaStreamNonBlocking})
        for (const std::size_t slots : {1, 2, 3, 5})
            for (const bool same : {false, true}) CHECK(chunked(flags, slots, same) == "");
}

TEST_CASE("nothing is said of two buffers in turns, with events") {
    CHECK(said([] {
              const Program p, q;
              cudaEvent_t copied[2], used[2];
              for (int i = 0; i < 2; ++i) cudaEventCreate(&copied[i]), cudaEventCreate(&used[i]);
              int *const host[] = {p.a, p.b}, *const d_numbers[] = {p.in, p.out};
              for (int round = 0; round < 10; ++round) {
                  const int i = round % 2;
                  CUDA_CHECK(cudaEventSynchronize(copied[i]));
                  *host[i] = round;
                  CUDA_CHECK(cudaStreamWaitEvent(p.s.stream, used[i]));
                  copy_in(d_numbers[i], host[i], p.s.stream);
                  CUDA_CHECK(cudaEventRecord(copied[i], p.s.stream));
                  CUDA_CHECK(cudaStreamWaitEvent(p.t.stream, copied[i]));
                  launch(d_numbers[i], q.out, p.t.stream);
                  CUDA_CHECK(cudaEventRecord(used[i], p.t.stream));
              }
              copy_out(q.a, q.out, p.t.stream);
              CUDA_CHECK(cudaStreamSynchronize(p.t.stream));
              if (*q.a != 10) throw std::logic_error("a wrong number");
          }) == "");
}

TEST_CASE(
    "nothing is said of several streams that only read, of pageable memory, and of the default stream") {
    CHECK(said([] {
              const Program p, q;
              copy_in(p.in, p.a, p.s.stream);
              copy_in(q.in, p.a, p.t.stream);
              CUDA_CHECK(cudaDeviceSynchronize());
              launch(p.in, p.out, p.s.stream);
              launch(p.in, q.out, p.t.stream);
              copy_out(q.a, p.in, q.t.stream);
          }) == "");
    CHECK(said([] {
              const Program p;
              int number = 41, result = 0;
              copy_in(p.in, &number, p.t.stream);
              number = 0;
              launch(p.in, p.out, p.t.stream);
              copy_out(&result, p.out, p.t.stream);
              if (result != 42) throw std::logic_error("a wrong number");
          }) == "");
    CHECK(said([] {
              const Program p;
              *p.a = 41;
              copy_in(p.in, p.a, p.s.stream);
              launch(p.in, p.out, nullptr);
              copy_out(p.b, p.out, p.s.stream);
              CUDA_CHECK(cudaStreamSynchronize(nullptr));
              if (*p.b != 42) throw std::logic_error("a wrong number");
          }) == "");
}

}  // namespace hazard_checks
