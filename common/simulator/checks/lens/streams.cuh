/// @file
/// @brief Checks that the lens finds kernels in different streams that race, and reports no other kernels.
#pragma once

#include <simulator/cooperation.h>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "seen.hpp"

namespace lens_checks {

constexpr unsigned int kInts = 1024;

__global__ void write_ints_kernel(int* d_numbers, unsigned int first, unsigned int count) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) d_numbers[first + i] = static_cast<int>(i);
}
__global__ void read_ints_kernel(const int* d_numbers, int* d_result) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_result[i] = d_numbers[i];
}
__global__ void count_kernel(int* d_numbers) { atomicAdd(d_numbers, 1); }
__global__ void every_other_byte_kernel(char* d_bytes, unsigned int first) {
    d_bytes[2 * threadIdx.x + first] = 1;
}

/// Two streams, an event, and numbers for kernels. `flags` says whether the streams wait for the default one.
struct TwoStreams {
    explicit TwoStreams(unsigned int flags = cudaStreamDefault) {
        for (cudaStream_t* const stream : {&one, &two}) CUDA_CHECK(cudaStreamCreateWithFlags(stream, flags));
        CUDA_CHECK(cudaEventCreate(&event));
        CUDA_CHECK(cudaMemset(numbers.data(), 0, numbers.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    ~TwoStreams() {
        cudaDeviceSynchronize();
        cudaStreamDestroy(one);
        cudaStreamDestroy(two);
        cudaEventDestroy(event);
    }
    TwoStreams(const TwoStreams&) = delete;
    TwoStreams& operator=(const TwoStreams&) = delete;

    void write(cudaStream_t stream, unsigned int first = 0, unsigned int count = kInts) const {
        write_ints_kernel<<<4, 256, 0, stream>>>(numbers.data(), first, count);
    }
    void read(cudaStream_t stream) const {
        read_ints_kernel<<<4, 256, 0, stream>>>(numbers.data(), results[stream == two].data());
    }
    void record(cudaStream_t stream) const { CUDA_CHECK(cudaEventRecord(event, stream)); }
    void wait(cudaStream_t stream) const { CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0)); }

    cudaStream_t one = nullptr, two = nullptr;
    cudaEvent_t event = nullptr;
    DeviceBuffer<int> numbers{kInts}, results[2]{DeviceBuffer<int>(kInts), DeviceBuffer<int>(kInts)};
};

/// The findings after `work` has enqueued kernels.
template <typename Work>
Seen seen_in_streams(const Work& work, unsigned int flags = cudaStreamDefault) {
    const TwoStreams streams(flags);
    return seen([&] {
        work(streams);
        CUDA_CHECK(cudaDeviceSynchronize());
    });
}

TEST_CASE("kernels in different streams that nothing orders race, and the streams are named") {
    const auto races = [](const auto& work, unsigned int flags = cudaStreamDefault) {
        const Seen all = seen_in_streams(work, flags);
        return all.findings.size() == 1 && all.findings[0].distance() == 3;
    };
    const Seen all = seen_in_streams([](const TwoStreams& on) { on.write(on.one), on.read(on.two); });
    REQUIRE(all.findings.size() == 1);
    CHECK(all.findings[0].count == kInts);
    CHECK(all.findings[0].kernel == "lens_checks::read_ints_kernel");
    CHECK(all.findings[0].other_kernel == "lens_checks::write_ints_kernel");
    CHECK(all.findings[0].stream != all.findings[0].other_stream);
    CHECK(!all.findings[0].stream.empty());
    CHECK(!all.findings[0].other_stream.empty());

    CHECK(races([](const TwoStreams& on) { on.read(on.one), on.write(on.two, kInts - 1, 1); }));
    CHECK(races([](const TwoStreams& on) { on.write(on.one), on.write(on.two); }));
    CHECK(races([](const TwoStreams& on) { on.write(on.one), on.read(nullptr); }, cudaStreamNonBlocking));
    CHECK(races([](const TwoStreams& on) {
        count_kernel<<<1, 32, 0, on.one>>>(on.numbers.data());
        on.read(on.two);
    }));
    CHECK(races([](const TwoStreams& on) {  // the event is recorded too early
        on.write(on.one, 0, 1), on.record(on.one), on.write(on.one, 1, 1), on.wait(on.two), on.read(on.two);
    }));
    CHECK(races([](const TwoStreams& on) {  // several kernels of the other stream come in between
        on.write(on.one, 0, 1);
        for (int i = 0; i < 5; ++i) on.write(on.two, 1, 1);
        on.read(on.two);
    }));
}

TEST_CASE(
    "kernels that an event, a stream or the host orders don't race, nor do those that only read, or count") {
    const auto nothing = [](const auto& work, unsigned int flags = cudaStreamDefault) {
        return seen_in_streams(work, flags).findings.empty();
    };
    CHECK(nothing([](const TwoStreams& on) { on.write(on.one), on.read(on.one), on.write(on.one); }));
    CHECK(nothing(
        [](const TwoStreams& on) { on.write(on.one), on.record(on.one), on.wait(on.two), on.read(on.two); }));
    CHECK(nothing([](const TwoStreams& on) { on.write(on.one), on.read(nullptr), on.write(on.two); }));
    CHECK(nothing(
        [](const TwoStreams& on) {
            on.write(on.one);
            CUDA_CHECK(cudaStreamSynchronize(on.one));
            on.read(on.two);
        },
        cudaStreamNonBlocking));
    CHECK(nothing([](const TwoStreams& on) { on.read(on.one), on.read(on.two); }));
    CHECK(nothing([](const TwoStreams& on) {
        for (const cudaStream_t stream : {on.one, on.two})
            count_kernel<<<2, 32, 0, stream>>>(on.numbers.data());
    }));
}

__global__ void launching_kernel(int* d_numbers, int* d_other) {
    write_ints_kernel<<<1, 1>>>(d_other, 0, 1);
    write_ints_kernel<<<1, 1>>>(d_numbers, 0, 1);
}

TEST_CASE(
    "a kernel races with what a kernel in another stream launches, and with a kernel after one that does not "
    "race") {
    sim::let_kernels_launch();  // programs compiled with -rdc=true call this
    const Seen nested = seen_in_streams([](const TwoStreams& on) {
        count_kernel<<<1, 1, 0, on.one>>>(on.numbers.data());
        launching_kernel<<<1, 1, 0, on.two>>>(on.numbers.data(), on.results[0].data());
    });
    REQUIRE(nested.findings.size() == 1);
    CHECK(nested.findings[0].kernel == "lens_checks::write_ints_kernel");
    CHECK(nested.findings[0].other_kernel == "lens_checks::count_kernel");
    const Seen later = seen_in_streams(
        [](const TwoStreams& on) { on.read(on.one), on.read(on.two), on.write(on.two, 0, 1); });
    REQUIRE(later.findings.size() == 1);
    CHECK(later.findings[0].kernel == "lens_checks::write_ints_kernel");
    CHECK(later.findings[0].other_kernel == "lens_checks::read_ints_kernel");
}

TEST_CASE("kernels in different streams may use different parts of a buffer, down to its bytes") {
    const Seen all = seen_in_streams([](const TwoStreams& on) {
        for (int round = 0; round < 6; ++round) {
            on.write(on.one, 0, 501), on.write(on.two, 501, kInts - 501);
            auto* const bytes = reinterpret_cast<char*>(on.results[0].data());
            every_other_byte_kernel<<<1, 256, 0, on.one>>>(bytes, 0);
            every_other_byte_kernel<<<1, 256, 0, on.two>>>(bytes, 1);
        }
        CUDA_CHECK(cudaDeviceSynchronize());
        on.read(on.two);
    });
    CHECK(all.findings.empty());
}

}  // namespace lens_checks
