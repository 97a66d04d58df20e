/// @file
/// @brief Checks of the runtime: launches, the device's description, and events.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "../api/runtime.cuh"

namespace runtime_checks {

__global__ void count_kernel(int* d_count) { atomicAdd(d_count, 1); }

TEST_CASE("a launch that CUDA refuses is an error and runs nothing") {
    const DeviceBuffer<int> count(1);
    CHECK(cudaMemset(count.data(), 0, sizeof(int)) == cudaSuccess);
    int version = 0;
    CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
    const auto refused = [&](dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
        count_kernel<<<grid, block, shared_bytes>>>(count.data());
        const cudaError_t error = cudaGetLastError();
        // CUDA's documentation says invalid configuration; CUDA 13 returns invalid value.
        const bool named =
            error == cudaErrorInvalidValue || (version < 13000 && error == cudaErrorInvalidConfiguration);
        return named && cudaGetLastError() == cudaSuccess && count.to_host()[0] == 0;
    };
    CHECK(refused(0, 32));
    CHECK(refused({1, 0, 1}, 32));
    CHECK(refused({1, 65536, 1}, 32));
    CHECK(refused({1, 1, 65536}, 32));
    CHECK(refused(0x80000000u, 32));
    CHECK(refused(1, 0));
    CHECK(refused(1, 1025));
    CHECK(refused(1, {1, 1, 65}));
    CHECK(refused(1, {32, 33}));
    CHECK(refused(1, {65536, 65536}));
    CHECK(refused(1, {32, 8, 5}));
    CHECK(refused(1, 32, 228 * 1024));
    count_kernel<<<2, 3>>>(count.data());
    CHECK(count.to_host()[0] == 6);
    for (const dim3 grid : {dim3{1, 65535, 1}, dim3{1, 1, 65535}}) {
        CHECK(cudaMemset(count.data(), 0, sizeof(int)) == cudaSuccess);
        count_kernel<<<grid, 1>>>(count.data());
        CHECK(count.to_host()[0] == 65535);
    }
    CHECK(cudaMemset(count.data(), 0, sizeof(int)) == cudaSuccess);
    count_kernel<<<1, dim3{2, 8, 64}>>>(count.data());
    CHECK(count.to_host()[0] == 1024);
}

template <typename T>
__global__ void asking_kernel(T* d_count) {
    extern __shared__ int asked_ints[];
    asked_ints[threadIdx.x] = 1;
    if (threadIdx.x == 0) atomicAdd(d_count, asked_ints[0]);
}

template <int kCount>
__global__ void declaring_kernel(int* d_count) {
    __shared__ int declared_ints[kCount];
    extern __shared__ int more_ints[];
    declared_ints[threadIdx.x] = more_ints[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(d_count, declared_ints[0] + more_ints[0] - 1);
}

TEST_CASE("a launch has as much dynamic shared memory as its kernel has asked for, else 48 KiB") {
    const DeviceBuffer<int> count(1);
    const auto ask = [](auto* kernel, int bytes) {
        return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
    // Whether the launch runs. If it doesn't, its error must be CUDA's.
    const auto runs = [&](auto launch) {
        CHECK(cudaMemset(count.data(), 0, sizeof(int)) == cudaSuccess);
        launch();
        const cudaError_t error = cudaGetLastError();
        const int ran = count.to_host()[0];
        CHECK((error == cudaErrorInvalidValue) == (ran == 0));
        CHECK(cudaGetLastError() == cudaSuccess);
        return error == cudaSuccess;
    };
    int* const d_int = count.data();
    unsigned int* const d_unsigned = reinterpret_cast<unsigned int*>(d_int);
    const auto with_int = [=](std::size_t bytes) {
        return [=] { asking_kernel<int><<<1, 32, bytes>>>(d_int); };
    };
    const auto with_unsigned = [=](std::size_t bytes) {
        return [=] { asking_kernel<<<1, 32, bytes>>>(d_unsigned); };
    };
    void (*const pointer)(int*) = asking_kernel<int>;

    CHECK(runs(with_int(48 * 1024)));
    CHECK(!runs(with_int(48 * 1024 + 1)));
    CHECK(!runs(with_unsigned(48 * 1024 + 1)));
    CHECK(ask(asking_kernel<int>, 60000) == cudaSuccess);
    CHECK(runs(with_int(60000)));
    CHECK(runs([=] { pointer<<<1, 32, 60000>>>(d_int); }));
    CHECK(!runs(with_int(60001)));
    CHECK(!runs(with_unsigned(60000)));  // another kernel of the same template
    CHECK(ask(asking_kernel<unsigned int>, 1000) == cudaSuccess);
    CHECK(runs(with_unsigned(1000)));
    CHECK(!runs(with_unsigned(1001)));  // a limit below 48 KiB also holds
    CHECK(fails_with(cudaErrorInvalidValue, ask(asking_kernel<int>, -1)));
    CHECK(runs(with_int(60000)));
    CHECK(ask(asking_kernel<unsigned int>, 0) == cudaSuccess);
    CHECK(!runs(with_unsigned(4)));

    // The shared memory that the kernel declares counts towards the limit.
    CHECK(runs([=] { declaring_kernel<4096><<<1, 32, 32 * 1024>>>(d_int); }));
    CHECK(!runs([=] { declaring_kernel<4096><<<1, 32, 32 * 1024 + 1>>>(d_int); }));
    CHECK(!runs([=] { declaring_kernel<4096><<<1, 32, 48 * 1024>>>(d_int); }));
    CHECK(ask(declaring_kernel<4096>, 200 * 1024) == cudaSuccess);
    CHECK(runs([=] { declaring_kernel<4096><<<1, 32, 200 * 1024>>>(d_int); }));
    CHECK(!runs([=] { declaring_kernel<2048><<<1, 32, 48 * 1024>>>(d_int); }));

    const auto blocks = [](auto* kernel, std::size_t bytes) {
        int result = -1;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result, kernel, 256, bytes) == cudaSuccess);
        return result;
    };
    CHECK(blocks(asking_kernel<int>, 60000) > 0);
    CHECK(blocks(asking_kernel<int>, 60001) == 0);
    CHECK(blocks(count_kernel, 48 * 1024) > 0);
    CHECK(blocks(count_kernel, 48 * 1024 + 1) == 0);
}

TEST_CASE("a launch goes into the stream that it names") {
    const DeviceBuffer<int> count(1);
    cudaStream_t stream;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaMemsetAsync(count.data(), 0, sizeof(int), stream) == cudaSuccess);
    count_kernel<<<4, 4, 0, stream>>>(count.data());
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(count.to_host()[0] == 16);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("attributes and properties of the device agree") {
    int count = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count >= 1);
    cudaDeviceProp properties;
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    const auto attribute = [](cudaDeviceAttr which) {
        int value = -1;
        CHECK(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
        return static_cast<std::size_t>(value);
    };
    const auto property = [](auto value) { return static_cast<std::size_t>(value); };
    CHECK(attribute(cudaDevAttrMultiProcessorCount) == property(properties.multiProcessorCount));
    CHECK(attribute(cudaDevAttrWarpSize) == 32);
    CHECK(attribute(cudaDevAttrL2CacheSize) == property(properties.l2CacheSize));
    CHECK(properties.l2CacheSize == 50 << 20);  // that of a GPU, not the host's
    CHECK(attribute(cudaDevAttrGlobalMemoryBusWidth) == property(properties.memoryBusWidth));
    CHECK(attribute(cudaDevAttrComputeCapabilityMajor) == property(properties.major));
    CHECK(attribute(cudaDevAttrComputeCapabilityMinor) == property(properties.minor));
    CHECK(attribute(cudaDevAttrMaxThreadsPerMultiProcessor) ==
          property(properties.maxThreadsPerMultiProcessor));
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == properties.sharedMemPerBlock);
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == properties.sharedMemPerBlockOptin);
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) == properties.sharedMemPerMultiprocessor);
    CHECK(attribute(cudaDevAttrReservedSharedMemoryPerBlock) == properties.reservedSharedMemPerBlock);
    CHECK(attribute(cudaDevAttrClockRate) > 0);
    CHECK(attribute(cudaDevAttrMemoryClockRate) > 0);
    CHECK(properties.sharedMemPerBlock == 48 * 1024);
    CHECK(properties.maxThreadsPerBlock == 1024);
    CHECK((properties.maxThreadsDim[0] == 1024 && properties.maxThreadsDim[2] == 64));
    CHECK((properties.maxGridSize[0] == 0x7fffffff && properties.maxGridSize[1] == 65535));
    CHECK(properties.maxGridSize[2] == 65535);
    CHECK((properties.regsPerBlock == 65536 && properties.regsPerMultiprocessor == 65536));
    CHECK((properties.totalConstMem == 65536 && properties.textureAlignment == 512));
    CHECK(properties.totalGlobalMem > 0);
    CHECK(std::strlen(properties.name) > 0);
    CHECK(fails_with(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, count)));
    int value = 0;
    CHECK(fails_with(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99)));
    CHECK(fails_with(cudaErrorInvalidValue,
                     cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(99999), 0)));
}

TEST_CASE("the runtime has a version, and so has the driver, except on the simulator") {
    cudaDeviceProp properties;
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    const bool simulated = std::string(properties.name).rfind("simulator", 0) == 0;
    int runtime = -1, driver = -1;
    CHECK(cudaRuntimeGetVersion(&runtime) == cudaSuccess);
    CHECK((simulated ? runtime == 13000 : runtime >= 11000));
    CHECK(cudaDriverGetVersion(&driver) == cudaSuccess);
    CHECK((simulated ? driver == 0 : driver >= 11000));
    CHECK(fails_with(cudaErrorInvalidValue, cudaDriverGetVersion(nullptr)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaRuntimeGetVersion(nullptr)));
}

TEST_CASE("occupancy is what threads, blocks and shared memory of a multiprocessor allow") {
    cudaDeviceProp properties;
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    const auto blocks = [](int threads, std::size_t shared_bytes) {
        int result = -1;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result, count_kernel, threads, shared_bytes) ==
              cudaSuccess);
        return result;
    };
    CHECK(blocks(1024, 0) == properties.maxThreadsPerMultiProcessor / 1024);
    CHECK(blocks(1000, 0) == properties.maxThreadsPerMultiProcessor / 1024);  // whole warps
    CHECK(blocks(256, 0) == properties.maxThreadsPerMultiProcessor / 256);
    CHECK(blocks(1, 0) == properties.maxBlocksPerMultiProcessor);
    CHECK(blocks(64, 40 * 1024) == static_cast<int>(properties.sharedMemPerMultiprocessor /
                                                    (40 * 1024 + properties.reservedSharedMemPerBlock)));
    int result = 0;
    CHECK(fails_with(cudaErrorInvalidValue,
                     cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result, count_kernel, 0, 0)));
}

TEST_CASE("a kernel cannot ask for more dynamic shared memory than the device has") {
    const auto ask = [](std::size_t bytes) {
        return cudaFuncSetAttribute(count_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes));
    };
    cudaDeviceProp properties;
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    CHECK(ask(properties.sharedMemPerBlockOptin) == cudaSuccess);
    CHECK(fails_with(cudaErrorInvalidValue, ask(properties.sharedMemPerBlockOptin + 1)));
}

TEST_CASE("events measure the time between them, once both are recorded") {
    cudaEvent_t start, stop;
    REQUIRE(cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventCreate(&stop) == cudaSuccess);
    float milliseconds = -1;
    CHECK(fails_with(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, stop)));
    CHECK(cudaEventSynchronize(start) == cudaSuccess);  // the event was never recorded

    const DeviceBuffer<int> count(1);
    CHECK(cudaEventRecord(start) == cudaSuccess);
    count_kernel<<<1000, 256>>>(count.data());
    CHECK(cudaEventRecord(stop) == cudaSuccess);
    CHECK(cudaEventSynchronize(stop) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess);
    CHECK(milliseconds > 0);
    CHECK(fails_with(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, start, stop)));
    CHECK(cudaEventDestroy(start) == cudaSuccess);
    CHECK(cudaEventDestroy(stop) == cudaSuccess);
    CHECK(fails_with(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr)));
}

}  // namespace runtime_checks
