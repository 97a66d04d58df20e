/// @file
/// @brief Checks of streams and devices: what must wait for what, and what happens without waiting.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../checks/setting.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "../faults/faults.cuh"
#include "../grid/order.cuh"

namespace stream_checks {

__global__ void add_kernel(const int* d_in, int* d_out) { *d_out = *d_in + 1; }

/// A stream that is destroyed at the end of its scope.
struct Stream {
    explicit Stream(unsigned int flags = cudaStreamDefault) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream, flags));
    }
    ~Stream() { cudaStreamDestroy(stream); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    cudaStream_t stream;
};

/// A number in pinned memory.
struct PinnedInt {
    PinnedInt() { CUDA_CHECK(cudaMallocHost(&value, sizeof(int))); }
    ~PinnedInt() { cudaFreeHost(value); }
    PinnedInt(const PinnedInt&) = delete;
    PinnedInt& operator=(const PinnedInt&) = delete;
    int* value;
};

/// A number on the device.
DeviceBuffer<int> device_buffer(int value) {
    DeviceBuffer<int> buffer(1);
    CUDA_CHECK(cudaMemcpy(buffer.data(), &value, sizeof(value), cudaMemcpyHostToDevice));
    return buffer;
}

/// The number of seeds from 1 to 40 for which a check is false.
template <typename Check>
int failures(Check is_right) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) count += order_checks::with_seed(seed, is_right) ? 0 : 1;
    return count;
}

/// Copies 41 to the device, adds 1 and copies the result back. @return Whether the result is right.
/// @param[in] order Makes the kernel in one stream wait for the copy in the other stream, or does not.
template <typename Order>
bool adds_one(Order order) {
    const PinnedInt number, result;
    const Stream copies, kernels;
    const DeviceBuffer<int> in(1), out(1);
    *number.value = 41;
    *result.value = 0;
    CUDA_CHECK(cudaMemset(in.data(), 0, in.bytes()));
    CUDA_CHECK(cudaMemcpyAsync(in.data(), number.value, sizeof(int), cudaMemcpyHostToDevice, copies.stream));
    order(copies.stream, kernels.stream);
    add_kernel<<<1, 1, 0, kernels.stream>>>(in.data(), out.data());
    CUDA_CHECK(
        cudaMemcpyAsync(result.value, out.data(), sizeof(int), cudaMemcpyDeviceToHost, kernels.stream));
    CUDA_CHECK(cudaStreamSynchronize(kernels.stream));
    return *result.value == 42;
}

void wait_by_event(cudaStream_t first, cudaStream_t second) {
    cudaEvent_t copied;
    CUDA_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventRecord(copied, first));
    CUDA_CHECK(cudaStreamWaitEvent(second, copied));
    CUDA_CHECK(cudaEventDestroy(copied));
}

TEST_CASE("a kernel that waits for another stream's copy is right in every order") {
    CHECK(failures([] { return adds_one(wait_by_event); }) == 0);
    CHECK(failures([] {
              return adds_one(
                  [](cudaStream_t first, cudaStream_t) { CUDA_CHECK(cudaStreamSynchronize(first)); });
          }) == 0);
    CHECK(failures([] {
              return adds_one([](cudaStream_t, cudaStream_t) { CUDA_CHECK(cudaDeviceSynchronize()); });
          }) == 0);
}

TEST_CASE("pageable memory has been read when a copy from it returns") {
    CHECK(failures([] {
              const Stream copies;
              const DeviceBuffer<int> in(1);
              int number = 1;
              CUDA_CHECK(
                  cudaMemcpyAsync(in.data(), &number, sizeof(int), cudaMemcpyHostToDevice, copies.stream));
              number = 2;
              CUDA_CHECK(cudaStreamSynchronize(copies.stream));
              return in.to_host() == std::vector<int>{1};
          }) == 0);
}

TEST_CASE("a kernel in a stream gets its arguments as they were at the launch") {
    CHECK(failures([] {
              const Stream kernels;
              const DeviceBuffer<int> in = device_buffer(1), out(1), other(1);
              int* target = out.data();
              add_kernel<<<1, 1, 0, kernels.stream>>>(in.data(), target);
              target = other.data();
              CUDA_CHECK(cudaDeviceSynchronize());
              return out.to_host() == std::vector<int>{2};
          }) == 0);
}

TEST_CASE("work in a stream is done even if the stream is destroyed before") {
    CHECK(failures([] {
              const DeviceBuffer<int> in = device_buffer(1), out = device_buffer(0);
              cudaStream_t destroyed;
              {
                  const Stream kernels;
                  add_kernel<<<1, 1, 0, kernels.stream>>>(in.data(), out.data());
                  destroyed = kernels.stream;
              }
              const bool is_refused = cudaStreamSynchronize(destroyed) == cudaErrorInvalidResourceHandle;
              cudaGetLastError();
              return is_refused && out.to_host() == std::vector<int>{2};
          }) == 0);
}

__global__ void shared_kernel() { extern __shared__ int cells[]; }

TEST_CASE("a launch in a stream that asks for too much shared memory is rejected at once") {
    CHECK(failures([] {
              const Stream stream;
              shared_kernel<<<1, 1, 48 * 1024, stream.stream>>>();
              const bool accepted = cudaGetLastError() == cudaSuccess;
              shared_kernel<<<1, 1, 48 * 1024 + 1, stream.stream>>>();
              return accepted && cudaGetLastError() == cudaErrorInvalidValue;
          }) == 0);
}

TEST_CASE("the default stream waits for a stream") {
    const auto copy = [] {
        const Stream kernels;
        const DeviceBuffer<int> in = device_buffer(1), out(1);
        CUDA_CHECK(cudaMemset(out.data(), 0, out.bytes()));
        add_kernel<<<1, 1, 0, kernels.stream>>>(in.data(), out.data());
        return out.to_host() == std::vector<int>{2};
    };
    CHECK(failures(copy) == 0);
}

TEST_CASE("a default stream may also be named by its numbers, 1 and 2") {
    for (const std::uintptr_t number : {0, 1, 2}) {
        const auto stream = reinterpret_cast<cudaStream_t>(number);
        const DeviceBuffer<int> in = device_buffer(1), out(1);
        add_kernel<<<1, 1, 0, stream>>>(in.data(), out.data());
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
        CHECK(out.to_host() == std::vector<int>{2});
    }
}

/// For each seed, whether the work of a second stream runs before that of the first.
std::vector<bool> second_comes_first(const std::vector<std::uint64_t>& seeds) {
    std::vector<bool> result;
    for (const std::uint64_t seed : seeds)
        result.push_back(order_checks::with_seed(seed, [] {
            const Stream first, second;
            cudaEvent_t events[2];
            for (cudaEvent_t& event : events) CUDA_CHECK(cudaEventCreate(&event));
            CUDA_CHECK(cudaEventRecord(events[0], first.stream));
            CUDA_CHECK(cudaEventRecord(events[1], second.stream));
            CUDA_CHECK(cudaDeviceSynchronize());
            float milliseconds = 0;
            CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
            for (const cudaEvent_t event : events) CUDA_CHECK(cudaEventDestroy(event));
            return milliseconds < 0;
        }));
    return result;
}

TEST_CASE("each seed has an order of two streams' work, the same each time") {
    std::vector<std::uint64_t> seeds(40);
    std::iota(seeds.begin(), seeds.end(), 1);
    second_comes_first({41});  // each seed below differs from the one before
    std::vector<bool> orders = second_comes_first(seeds);
    CHECK(std::count(orders.begin(), orders.end(), true) > 10);
    CHECK(std::count(orders.begin(), orders.end(), false) > 10);
    std::reverse(seeds.begin(), seeds.end());
    std::reverse(orders.begin(), orders.end());
    second_comes_first({41});
    CHECK(second_comes_first(seeds) == orders);
}

TEST_CASE("work that the host has waited for comes before new work, even while other work is pending") {
    CHECK(failures([] {
              const Stream busy, copies, kernels;
              const PinnedInt number;
              *number.value = 1;
              const DeviceBuffer<int> other = device_buffer(1), unused(1), in(1), out(1);
              CUDA_CHECK(cudaMemset(in.data(), 0, in.bytes()));
              add_kernel<<<1, 1, 0, busy.stream>>>(other.data(), unused.data());
              CUDA_CHECK(cudaMemcpyAsync(in.data(), number.value, sizeof(int), cudaMemcpyHostToDevice,
                                         copies.stream));
              CUDA_CHECK(cudaStreamSynchronize(copies.stream));
              add_kernel<<<1, 1, 0, kernels.stream>>>(in.data(), out.data());
              CUDA_CHECK(cudaStreamSynchronize(kernels.stream));
              return out.to_host() == std::vector<int>{2};
          }) == 0);
}

TEST_CASE("an event that is not done has no time") {
    CHECK(failures([] {
              const Stream stream;
              cudaEvent_t event;
              float milliseconds = 0;
              CUDA_CHECK(cudaEventCreate(&event));
              CUDA_CHECK(cudaEventRecord(event, stream.stream));
              const bool was_ready = cudaEventElapsedTime(&milliseconds, event, event) == cudaSuccess;
              CUDA_CHECK(cudaEventSynchronize(event));
              CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event, event));
              CUDA_CHECK(cudaEventDestroy(event));
              cudaGetLastError();
              return was_ready;
          }) > 25);
}

TEST_CASE("the time between two events is known once both are recorded and done") {
    const Stream stream;
    cudaEvent_t first, second;
    float milliseconds = -1;
    CUDA_CHECK(cudaEventCreate(&first));
    CUDA_CHECK(cudaEventCreate(&second));
    CUDA_CHECK(cudaEventRecord(first, stream.stream));
    CUDA_CHECK(cudaEventSynchronize(first));
    CHECK(cudaEventElapsedTime(&milliseconds, first, second) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(&milliseconds, second, first) == cudaErrorInvalidResourceHandle);
    CUDA_CHECK(cudaEventRecord(second, stream.stream));
    CHECK(cudaEventElapsedTime(&milliseconds, first, second) == cudaErrorNotReady);
    CHECK(cudaEventElapsedTime(&milliseconds, second, first) == cudaErrorNotReady);
    cudaGetLastError();
    CUDA_CHECK(cudaEventSynchronize(second));
    CHECK(cudaEventElapsedTime(&milliseconds, first, second) == cudaSuccess);
    CHECK(milliseconds >= 0);
    CUDA_CHECK(cudaEventDestroy(first));
    CUDA_CHECK(cudaEventDestroy(second));
    CUDA_CHECK(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventRecord(first, stream.stream));
    CUDA_CHECK(cudaEventSynchronize(first));
    CHECK(cudaEventElapsedTime(&milliseconds, first, first) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CUDA_CHECK(cudaEventDestroy(first));
}

TEST_CASE(
    "an event of the default stream waits for the copies before it, and is later than a destroyed stream's") {
    const PinnedInt number;
    const DeviceBuffer<int> in(1), out(1);
    cudaEvent_t first, second;
    float milliseconds = -1;
    CUDA_CHECK(cudaEventCreate(&first));
    CUDA_CHECK(cudaEventCreate(&second));
    *number.value = 1;
    CUDA_CHECK(cudaMemcpyAsync(in.data(), number.value, sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaEventRecord(first));
    CHECK(cudaEventElapsedTime(&milliseconds, first, first) == cudaErrorNotReady);
    cudaGetLastError();
    CUDA_CHECK(cudaDeviceSynchronize());
    {
        const Stream destroyed;
        CUDA_CHECK(cudaEventRecord(first, destroyed.stream));
    }
    add_kernel<<<1, 1>>>(in.data(), out.data());
    CUDA_CHECK(cudaEventRecord(second));
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&milliseconds, first, second) == cudaSuccess);
    CHECK(milliseconds >= 0);
    for (const cudaEvent_t event : {first, second}) CUDA_CHECK(cudaEventDestroy(event));
}

// --- Devices ------------------------------------------------------------------------------------

/// Gives the program two devices until the end of the scope.
struct TwoDevices {
    TwoDevices() = default;
    ~TwoDevices() { cudaSetDevice(0); }
    TwoDevices(const TwoDevices&) = delete;
    TwoDevices& operator=(const TwoDevices&) = delete;
    const Setting two{"CUDA_SIM_DEVICES", 2};
};

TEST_CASE("each thread of the host has a device of its own") {
    const TwoDevices devices;
    int device = -1, count = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 2);
    cudaDeviceProp first, second;
    CHECK(cudaGetDeviceProperties(&first, 0) == cudaSuccess);
    CHECK(cudaGetDeviceProperties(&second, 1) == cudaSuccess);
    CHECK(std::memcmp(&first.uuid, &second.uuid, sizeof(first.uuid)) != 0);
    CHECK(cudaSetDevice(1) == cudaSuccess);
    std::thread([&] { cudaGetDevice(&device); }).join();
    CHECK(device == 0);
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 1);
    CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
    cudaGetLastError();
}

TEST_CASE("the numbers of devices and of multiprocessors are chosen within limits") {
    for (const auto& [chosen, devices, multiprocessors] :
         {std::array{0, 1, 1}, {64, 64, 64}, {65, 64, 65}, {1024, 64, 1024}, {1025, 64, 1024}}) {
        const Setting first("CUDA_SIM_DEVICES", chosen), second("CUDA_SIM_MULTIPROCESSORS", chosen);
        int count = 0;
        cudaDeviceProp properties;
        CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
        CHECK(count == devices);
        CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
        CHECK(properties.multiProcessorCount == multiprocessors);
    }
}

TEST_CASE("a kernel can't use another device's memory, and the message names that device") {
    const TwoDevices devices;
    const DeviceBuffer<int> numbers(2);
    CHECK(cudaSetDevice(1) == cudaSuccess);
    add_kernel<<<1, 1>>>(numbers.data(), numbers.data() + 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(std::string(sim::last_fault()).find("byte 0 of a buffer of 8 bytes of device 0") !=
          std::string::npos);
    cudaDeviceReset();
    cudaGetLastError();
}

TEST_CASE("work on another device leaves the chosen device as it is") {
    const TwoDevices devices;
    const Stream stream;
    cudaEvent_t done;
    CUDA_CHECK(cudaEventCreate(&done));
    const DeviceBuffer<int> in = device_buffer(1), out(1);
    add_kernel<<<1, 1, 0, stream.stream>>>(in.data(), out.data());
    CUDA_CHECK(cudaEventRecord(done, stream.stream));
    CUDA_CHECK(cudaSetDevice(1));
    CUDA_CHECK(cudaEventSynchronize(done));
    int device = -1;
    CUDA_CHECK(cudaGetDevice(&device));
    CHECK(device == 1);
    CUDA_CHECK(cudaSetDevice(0));
    CUDA_CHECK(cudaEventDestroy(done));
}

TEST_CASE("a stream belongs to a device: others may copy in it, but neither launch nor record their events") {
    const TwoDevices devices;
    const DeviceBuffer<int> numbers = device_buffer(41);
    const Stream stream;
    CHECK(cudaSetDevice(1) == cudaSuccess);
    cudaEvent_t event;
    float milliseconds = 0;
    CUDA_CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event, stream.stream) == cudaErrorInvalidResourceHandle);
    add_kernel<<<1, 1, 0, stream.stream>>>(numbers.data(), numbers.data());
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    const PinnedInt number;
    CHECK(cudaMemcpyAsync(number.value, numbers.data(), sizeof(int), cudaMemcpyDeviceToHost, stream.stream) ==
          cudaSuccess);
    CHECK(cudaStreamSynchronize(stream.stream) == cudaSuccess);
    CHECK(*number.value == 41);
    CUDA_CHECK(cudaEventRecord(event));
    CUDA_CHECK(cudaEventSynchronize(event));
    CHECK(cudaSetDevice(0) == cudaSuccess);
    cudaEvent_t other;
    CUDA_CHECK(cudaEventCreate(&other));
    CUDA_CHECK(cudaEventRecord(other, stream.stream));
    CHECK(cudaStreamWaitEvent(stream.stream, event) == cudaSuccess);
    CUDA_CHECK(cudaEventSynchronize(other));
    CHECK(cudaEventElapsedTime(&milliseconds, event, other) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    for (const cudaEvent_t old : {event, other}) CUDA_CHECK(cudaEventDestroy(old));
}

TEST_CASE("threads with a device each work at the same time") {
    const TwoDevices devices;
    int results[2] = {};
    const auto work = [&](int device) {
        cudaSetDevice(device);
        for (int i = 0; i < 100; ++i) {
            const Stream stream;
            const DeviceBuffer<int> in = device_buffer(i), out(1);
            add_kernel<<<1, 1, 0, stream.stream>>>(in.data(), out.data());
            cudaStreamSynchronize(stream.stream);
            results[device] += out.to_host()[0];
        }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    CHECK(results[0] == 5050);
    CHECK(results[1] == 5050);
}

}  // namespace stream_checks
