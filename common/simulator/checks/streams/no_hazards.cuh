/// @file
/// @brief Checks that programs with all necessary waits get correct results, and that no hazard is
/// reported.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hazards.cuh"

namespace hazard_checks {

__global__ void add_one_kernel(const int* d_in, unsigned int n, int* d_out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = d_in[i] + 1;
}

constexpr unsigned int kNumbers = 3000, kChunk = 700;  // chunks begin and end within pages

/// Adds 1 to many numbers in pinned memory. Several streams copy and process chunks of the numbers.
/// @param[in] same Whether the results replace the numbers.
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

TEST_CASE("no hazard is reported for streams that share buffers, one chunk each") {
    for (const unsigned int flags : {cudaStreamDefault, cudaStreamNonBlocking})
        for (const std::size_t slots : {1, 2, 3, 5})
            for (const bool same : {false, true}) CHECK(chunked(flags, slots, same) == "");
}

TEST_CASE("no hazard is reported for a pinned buffer that one copy fills and the next one reads") {
    CHECK(said([] {
              const Program p;
              *p.a = 1;
              *p.b = 2;
              copy_in(p.in, p.a, p.t.stream);
              copy_out(p.b, p.in, p.t.stream);
              copy_in(p.out, p.b, p.t.stream);
              CUDA_CHECK(cudaStreamSynchronize(p.t.stream));
              if (*p.b != 1) throw std::logic_error("a wrong number");
          }) == "");
}

TEST_CASE("no hazard is reported for a pinned buffer that a kernel fills and a copy then reads") {
    CHECK(said([] {
              const Program p;
              *p.a = 1;
              *p.b = 2;
              copy_in(p.in, p.a, p.t.stream);
              launch(p.in, p.b, p.t.stream);
              copy_in(p.out, p.b, p.t.stream);
              copy_out(p.b, p.in, p.t.stream);
              CUDA_CHECK(cudaMemcpyAsync(p.a, p.out, sizeof(int), cudaMemcpyDeviceToHost, p.t.stream));
              CUDA_CHECK(cudaStreamSynchronize(p.t.stream));
              if (*p.a != 2 || *p.b != 1) throw std::logic_error("a wrong number");
          }) == "");
}

TEST_CASE(
    "no hazard is reported for a pinned buffer that a kernel has filled and a copy reads, without streams") {
    CHECK(fault_checks::process_of([] {
              int *const number = pinned_int(), *const in = device_int(), *const out = device_int();
              CUDA_CHECK(cudaMemset(in, 0xff, sizeof(int)));
              *number = -1;  // the kernel will change all bytes
              launch(in, number, nullptr);
              copy_in(out, number, nullptr);
              CUDA_CHECK(cudaDeviceSynchronize());
              if (*number != 0) _exit(2);
          }) == std::pair(0, std::string()));
}

TEST_CASE("no hazard is reported for two buffers used in turn, with events") {
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
    "no hazard is reported for streams that only read, for pageable memory, and for the default stream") {
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
