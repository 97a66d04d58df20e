/// @file
/// @brief Checks of the runtime: memory, copies, errors, the device's description, streams and events.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "../../checks/catch.hpp"
#include "../../cuda/device_buffer.cuh"

namespace runtime_checks {

/// Whether the call's error is what it answers, what `cudaGetLastError` answers, and forgotten then.
bool fails_with(cudaError_t expected, cudaError_t answered) {
    const cudaError_t peeked = cudaPeekAtLastError(), last = cudaGetLastError();
    return answered == expected && peeked == expected && last == expected &&
           cudaGetLastError() == cudaSuccess;
}

// --- Memory -------------------------------------------------------------------------------------

TEST_CASE("memory is allocated, set, copied in each direction, and freed") {
    const std::vector<int> numbers{1, 2, 3, 4, 5};
    const std::size_t bytes = numbers.size() * sizeof(int);
    int *d_a = nullptr, *d_b = nullptr;
    REQUIRE(cudaMalloc(&d_a, bytes) == cudaSuccess);
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&d_b), bytes) == cudaSuccess);
    CHECK(reinterpret_cast<std::uintptr_t>(d_a) % 256 == 0);

    std::vector<int> between(5), back(5);
    CHECK(cudaMemcpy(between.data(), numbers.data(), bytes, cudaMemcpyHostToHost) == cudaSuccess);
    CHECK(cudaMemcpy(d_a, between.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(d_b, d_a, bytes, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaMemset(d_b + 1, 0xff, sizeof(int)) == cudaSuccess);
    CHECK(cudaMemcpy(back.data(), d_b, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(back == std::vector<int>{1, -1, 3, 4, 5});
    CHECK(cudaMemcpy(back.data() + 1, d_a + 1, sizeof(int), cudaMemcpyDefault) == cudaSuccess);
    CHECK(back == numbers);

    CHECK(cudaFree(d_a) == cudaSuccess);
    CHECK(cudaFree(d_b) == cudaSuccess);
    CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("allocating nothing gives a null pointer, and all there is not an allocation") {
    void* pointer = &pointer;
    CHECK(cudaMalloc(&pointer, 0) == cudaSuccess);
    CHECK(pointer == nullptr);
    CHECK(fails_with(cudaErrorMemoryAllocation, cudaMalloc(&pointer, std::size_t{1} << 50)));
    CHECK(fails_with(cudaErrorMemoryAllocation, cudaMalloc(&pointer, ~std::size_t{0})));
    CHECK(fails_with(cudaErrorMemoryAllocation, cudaMalloc(&pointer, ~std::size_t{0} - 4096)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaMalloc(static_cast<void**>(nullptr), 4)));
}

TEST_CASE("a range past the end of an allocation is an error, and nothing of it is written") {
    const DeviceBuffer<char> buffer(100);
    std::vector<char> host(200, 1);
    CHECK(cudaMemset(buffer.data(), 7, 100) == cudaSuccess);
    const auto copy = [&](std::ptrdiff_t offset, std::size_t bytes) {
        return cudaMemcpy(buffer.data() + offset, host.data(), bytes, cudaMemcpyHostToDevice);
    };
    CHECK(fails_with(cudaErrorInvalidValue, cudaMemset(buffer.data() + 100, 0, 1)));
    CHECK(fails_with(cudaErrorInvalidValue, copy(1, 100)));
    CHECK(fails_with(cudaErrorInvalidValue, copy(-1, 100)));
    CHECK(fails_with(cudaErrorInvalidValue, copy(0, ~std::size_t{0})));
    for (const cudaMemcpyKind kind : {cudaMemcpyHostToHost, cudaMemcpyDefault})
        for (const std::ptrdiff_t offset : {-10, -1, 99, 100, 200})
            CHECK(
                fails_with(cudaErrorInvalidValue, cudaMemcpy(host.data(), buffer.data() + offset, 10, kind)));
    CHECK(fails_with(cudaErrorInvalidValue,
                     cudaMemcpy(host.data(), host.data() + 1, ~std::size_t{0}, cudaMemcpyHostToHost)));
    CHECK(buffer.to_host() == std::vector<char>(100, 7));
}

TEST_CASE("freeing twice, or what was never allocated, is an error, and so is a copy from what was freed") {
    char* d_data = nullptr;
    CHECK(cudaMalloc(&d_data, 100) == cudaSuccess);
    CHECK(fails_with(cudaErrorInvalidValue, cudaFree(d_data + 1)));
    CHECK(cudaFree(d_data) == cudaSuccess);
    CHECK(fails_with(cudaErrorInvalidValue, cudaFree(d_data)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaMemset(d_data, 0, 100)));
    char host[100];
    CHECK(fails_with(cudaErrorInvalidValue, cudaMemcpy(host, d_data, 100, cudaMemcpyDefault)));
}

TEST_CASE("a copy in the wrong direction is an error") {
    const DeviceBuffer<char> buffer(16);
    char host[16] = {};
    char* const d = buffer.data();
    // CUDA tells host from device by the address, and asks of each direction no more than this:
    const struct {
        cudaMemcpyKind kind;
        bool from_host_to_host, from_host_to_device, from_device_to_host, from_device_to_device;
    } directions[] = {
        {cudaMemcpyHostToHost, true, true, true, true},
        {cudaMemcpyHostToDevice, false, true, false, true},
        {cudaMemcpyDeviceToHost, false, false, true, true},
        {cudaMemcpyDeviceToDevice, false, false, false, true},
        {cudaMemcpyDefault, true, true, true, true},
    };
    for (const auto& direction : directions) {
        CAPTURE(direction.kind);
        const auto copies = [&](char* to, const char* from) {
            const cudaError_t error = cudaMemcpy(to, from, 8, direction.kind);
            return error == cudaSuccess || !fails_with(cudaErrorInvalidValue, error);
        };
        CHECK(copies(host + 8, host) == direction.from_host_to_host);
        CHECK(copies(d, host) == direction.from_host_to_device);
        CHECK(copies(host, d) == direction.from_device_to_host);
        CHECK(copies(d + 8, d) == direction.from_device_to_device);
        CHECK(!copies(host, nullptr));
        CHECK(!copies(nullptr, d));
    }
    const auto no_direction = static_cast<cudaMemcpyKind>(9);
    CHECK(fails_with(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d, host, 8, no_direction)));
    CHECK(cudaMemcpy(d, host, 0, no_direction) == cudaSuccess);
    CHECK(fails_with(cudaErrorInvalidValue, cudaMemset(host, 0, 8)));
}

__device__ int symbol[4];

TEST_CASE("a symbol is copied to and from, and not past its end") {
    int numbers[4] = {1, 2, 3, 4}, back[4] = {};
    CHECK(cudaMemcpyToSymbol(symbol, numbers, sizeof(symbol)) == cudaSuccess);
    CHECK(cudaMemcpyFromSymbol(back, symbol, 8, 8) == cudaSuccess);
    CHECK((back[0] == 3 && back[1] == 4 && back[2] == 0));
    CHECK(fails_with(cudaErrorInvalidValue, cudaMemcpyToSymbol(symbol, numbers, 16, 4)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaMemcpyFromSymbol(back, symbol, 20)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaMemcpyToSymbol(symbol, nullptr, 4)));
    CHECK(cudaMemcpyToSymbol(symbol, numbers, 0, 99) == cudaSuccess);
}

TEST_CASE("nowhere to write an answer to, and nothing to destroy, are errors") {
    CHECK(fails_with(cudaErrorInvalidValue, cudaGetDevice(nullptr)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaStreamCreate(nullptr)));
    CHECK(fails_with(cudaErrorInvalidValue, cudaEventCreate(nullptr)));
    CHECK(fails_with(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr)));
    CHECK(fails_with(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr)));
    std::size_t bytes = 0;
    CHECK(cudaMemGetInfo(&bytes, nullptr) == cudaSuccess);
    CHECK(cudaMemGetInfo(nullptr, &bytes) == cudaSuccess);
}

TEST_CASE("copying or setting nothing is no error") {
    CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemset(nullptr, 0, 0) == cudaSuccess);
}

TEST_CASE("pinned memory is the host's, and copies to and from it are asynchronous in name") {
    int* pinned = nullptr;
    REQUIRE(cudaMallocHost(&pinned, 4 * sizeof(int)) == cudaSuccess);
    cudaStream_t stream;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    const DeviceBuffer<int> buffer(4);
    for (int i = 0; i < 4; ++i) pinned[i] = i;
    CHECK(cudaMemsetAsync(buffer.data(), 0xff, buffer.bytes(), stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(buffer.data(), pinned, 3 * sizeof(int), cudaMemcpyHostToDevice, stream) ==
          cudaSuccess);
    CHECK(cudaMemcpyAsync(pinned, buffer.data() + 1, 3 * sizeof(int), cudaMemcpyDeviceToHost, stream) ==
          cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK((pinned[0] == 1 && pinned[1] == 2 && pinned[2] == -1 && pinned[3] == 3));
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);

    void* nothing = &stream;
    CHECK(cudaMallocHost(&nothing, 0) == cudaSuccess);
    CHECK(nothing == nullptr);
    CHECK(cudaFreeHost(nothing) == cudaSuccess);
    int never_allocated = 0;
    CHECK(fails_with(cudaErrorInvalidValue, cudaFreeHost(&never_allocated)));
    CHECK(fails_with(cudaErrorMemoryAllocation, cudaMallocHost(&nothing, std::size_t{1} << 50)));
}

TEST_CASE("host memory is pinned once, and released once") {
    std::vector<int> memory(4);
    CHECK(cudaHostRegister(memory.data(), 4 * sizeof(int), cudaHostRegisterDefault) == cudaSuccess);
    CHECK(fails_with(cudaErrorHostMemoryAlreadyRegistered,
                     cudaHostRegister(memory.data(), 4 * sizeof(int), cudaHostRegisterDefault)));
    CHECK(cudaHostUnregister(memory.data()) == cudaSuccess);
    CHECK(fails_with(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(memory.data())));
    CHECK(fails_with(cudaErrorInvalidValue, cudaHostRegister(nullptr, 4, cudaHostRegisterDefault)));
}

TEST_CASE("there is memory, and not more of it free than there is") {
    std::size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
    CHECK(free_bytes > 0);
    CHECK(free_bytes <= total_bytes);
}

// --- Launches -----------------------------------------------------------------------------------

__global__ void count_kernel(int* d_count) { atomicAdd(d_count, 1); }

TEST_CASE("a launch that CUDA refuses is an error and runs nothing") {
    const DeviceBuffer<int> count(1);
    CHECK(cudaMemset(count.data(), 0, sizeof(int)) == cudaSuccess);
    int version = 0;
    CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
    const auto refused = [&](dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
        count_kernel<<<grid, block, shared_bytes>>>(count.data());
        const cudaError_t error = cudaGetLastError();
        // CUDA's documentation speaks of an invalid configuration, and CUDA 13 of an invalid argument.
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
    // Whether the launch runs. Where it doesn't, it must be refused as CUDA refuses it.
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
    CHECK(!runs(with_unsigned(1001)));  // less than 48 KiB counts as well
    CHECK(fails_with(cudaErrorInvalidValue, ask(asking_kernel<int>, -1)));
    CHECK(runs(with_int(60000)));

    // What the kernel declares counts too.
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

// --- Errors -------------------------------------------------------------------------------------

TEST_CASE("an error is kept by cudaPeekAtLastError, and by calls that succeed, until cudaGetLastError") {
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    int device = -1;
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("errors have CUDA's names and texts") {
    const struct {
        cudaError_t error;
        int number;
        const char *name, *text;
    } errors[] = {
        {cudaSuccess, 0, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, 1, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, 2, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInvalidConfiguration, 9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
        {cudaErrorInvalidMemcpyDirection, 21, "cudaErrorInvalidMemcpyDirection",
         "invalid copy direction for memcpy"},
        {cudaErrorNoDevice, 100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, 101, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorInvalidResourceHandle, 400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
        {cudaErrorIllegalAddress, 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
        {cudaErrorLaunchTimeout, 702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
        {cudaErrorMisalignedAddress, 716, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorLaunchFailure, 719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    };
    for (const auto& e : errors) {
        CHECK(static_cast<int>(e.error) == e.number);
        CHECK(cudaGetErrorName(e.error) == std::string(e.name));
        CHECK(cudaGetErrorString(e.error) == std::string(e.text));
    }
    CHECK(cudaGetErrorName(static_cast<cudaError_t>(12345)) == std::string("unrecognized error code"));
    CHECK(cudaGetErrorString(static_cast<cudaError_t>(12345)) == std::string("unrecognized error code"));
}

// --- The device ---------------------------------------------------------------------------------

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
    CHECK(properties.sharedMemPerBlock == 48 * 1024);
    CHECK(properties.maxThreadsPerBlock == 1024);
    CHECK((properties.maxThreadsDim[0] == 1024 && properties.maxThreadsDim[2] == 64));
    CHECK((properties.maxGridSize[0] == 0x7fffffff && properties.maxGridSize[1] == 65535));
    CHECK(properties.totalGlobalMem > 0);
    CHECK(std::strlen(properties.name) > 0);
    CHECK(fails_with(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 99)));
    int value = 0;
    CHECK(fails_with(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99)));
    CHECK(fails_with(cudaErrorInvalidValue,
                     cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(99999), 0)));
}

TEST_CASE("there is a runtime, and a driver unless there is the simulator") {
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

// --- Events -------------------------------------------------------------------------------------

TEST_CASE("events measure the time between them, once both are recorded") {
    cudaEvent_t start, stop;
    REQUIRE(cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventCreate(&stop) == cudaSuccess);
    float milliseconds = -1;
    CHECK(fails_with(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, stop)));
    CHECK(cudaEventSynchronize(start) == cudaSuccess);  // nothing to wait for

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
