/// @file
/// @brief Checks of the runtime: memory, copies, and errors.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"

namespace runtime_checks {

/// Whether a call has returned the expected error, and `cudaGetLastError` returns this error exactly once.
bool fails_with(cudaError_t expected, cudaError_t answered) {
    const cudaError_t peeked = cudaPeekAtLastError(), last = cudaGetLastError();
    return answered == expected && peeked == expected && last == expected &&
           cudaGetLastError() == cudaSuccess;
}

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

TEST_CASE("allocating 0 bytes gives a null pointer, and allocating more than all memory is an error") {
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
    // CUDA tells host from device by the address, and accepts these combinations for each direction:
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

TEST_CASE("a null pointer for a result, or for an object to destroy, is an error") {
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

TEST_CASE("copying or setting 0 bytes is not an error") {
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

TEST_CASE("some memory is free, and no more than there is in all") {
    std::size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
    CHECK(free_bytes > 0);
    CHECK(free_bytes <= total_bytes);
}

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

}  // namespace runtime_checks
