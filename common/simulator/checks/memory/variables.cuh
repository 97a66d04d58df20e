/// @file
/// @brief Checks of what a kernel may rely on: shared memory, and constant and global variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../grid/kernels.cuh"

namespace kernel_checks {

/// Reverses each block's numbers. Each pair of `T` and `kCount` is a kernel with its own shared memory.
template <typename T, int kCount>
__global__ void reverse_kernel(T* d_data) {
    __shared__ T first[kCount], second[kCount][1];
    T* const mine = d_data + blockIdx.x * kCount;
    first[threadIdx.x] = mine[threadIdx.x];
    __syncthreads();
    second[kCount - 1 - threadIdx.x][0] = first[threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = second[threadIdx.x][0];
}

template <typename T, int kCount>
void check_reverse() {
    std::vector<T> data(20 * kCount);
    std::iota(data.begin(), data.end(), T{1});
    const auto d_data = on_device(data);
    reverse_kernel<T, kCount><<<20, kCount>>>(d_data.data());
    for (int block = 0; block < 20; ++block)
        std::reverse(data.begin() + block * kCount, data.begin() + (block + 1) * kCount);
    CHECK(d_data.to_host() == data);
}

TEST_CASE("static shared memory belongs to the block, in each instance of a template") {
    check_reverse<int, 64>();
    check_reverse<int, 100>();
    check_reverse<double, 64>();
    check_reverse<unsigned char, 5>();
}

struct Pair {
    int key;
    float value;
};

__global__ void mixed_shared_kernel(int* d_result) {
    __shared__ Pair pairs[2];
    __shared__ int total;
    __shared__ alignas(16) unsigned char bytes[3];
    __shared__ __align__(16) unsigned char words[3];
    if (threadIdx.x == 0) total = 0;
    if (threadIdx.x < 2) pairs[threadIdx.x] = {static_cast<int>(threadIdx.x) + 1, 0.5f};
    __syncthreads();
    atomicAdd(&total, pairs[threadIdx.x % 2].key);
    bytes[threadIdx.x % 3] = words[threadIdx.x % 3] = 1;
    __syncthreads();
    d_result[0] = total;
    d_result[1] = static_cast<int>(
        (reinterpret_cast<std::uintptr_t>(bytes) | reinterpret_cast<std::uintptr_t>(words)) % 16);
}

TEST_CASE("shared memory holds structures and scalars, aligned as declared") {
    const auto result = zeros<int>(2);
    mixed_shared_kernel<<<1, 32>>>(result.data());
    CHECK(result.to_host() == std::vector<int>{48, 0});
}

__global__ void dynamic_kernel(int* d_result, int count) {
    extern __shared__ int dynamic_ints[];
    for (int i = static_cast<int>(threadIdx.x); i < count; i += blockDim.x) dynamic_ints[i] = i % 7;
    __syncthreads();
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += dynamic_ints[i];
    d_result[blockIdx.x] = sum;
}

TEST_CASE("dynamic shared memory has the size of the launch, up to the device's limit") {
    for (const int bytes : {4, 64, 100, 48 * 1024, 200 * 1024}) {
        const int count = bytes / 4;
        const auto result = zeros<int>(3);
        CHECK(cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) ==
              cudaSuccess);
        dynamic_kernel<<<3, 50, bytes>>>(result.data(), count);
        CHECK(cudaGetLastError() == cudaSuccess);
        int sum = 0;
        for (int i = 0; i < count; ++i) sum += i % 7;
        CHECK(result.to_host() == std::vector<int>(3, sum));
    }
}

__global__ void carved_kernel(double* d_result) {
    extern __shared__ __align__(16) unsigned char carved[];
    double* const doubles = reinterpret_cast<double*>(carved);
    uint4* const vectors = reinterpret_cast<uint4*>(carved + blockDim.x * sizeof(double));
    doubles[threadIdx.x] = threadIdx.x;
    vectors[threadIdx.x] = make_uint4(threadIdx.x, 1, 2, 3);
    __syncthreads();
    const unsigned int other = (threadIdx.x + 1) % blockDim.x;
    d_result[threadIdx.x] = doubles[other] + vectors[other].w;
    if (reinterpret_cast<std::uintptr_t>(carved) % 16 != 0) d_result[0] = -1;
}

TEST_CASE("dynamic shared memory is aligned to 16 bytes and holds several arrays") {
    const auto result = zeros<double>(2);
    carved_kernel<<<1, 2, 2 * (sizeof(double) + sizeof(uint4))>>>(result.data());
    CHECK(result.to_host() == std::vector<double>{4, 3});
}

__constant__ float weights[8];
__constant__ int offset_of_all = 5;
__device__ int device_total;

__global__ void weigh_kernel(float* d_result) {
    d_result[threadIdx.x] = weights[threadIdx.x] + static_cast<float>(offset_of_all);
    atomicAdd(&device_total, 1);
}

TEST_CASE("constant memory holds what is copied to it, whole or in part") {
    const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
    const int offset = 10, zero = 0;
    CHECK(cudaMemcpyToSymbol(weights, values.data(), sizeof(weights)) == cudaSuccess);
    CHECK(cudaMemcpyToSymbol(weights, values.data(), 2 * sizeof(float), 6 * sizeof(float)) == cudaSuccess);
    CHECK(cudaMemcpyToSymbol(offset_of_all, &offset, sizeof(int)) == cudaSuccess);
    CHECK(cudaMemcpyToSymbol(device_total, &zero, sizeof(int)) == cudaSuccess);
    const auto result = zeros<float>(8);
    weigh_kernel<<<1, 8>>>(result.data());
    CHECK(result.to_host() == std::vector<float>{11, 12, 13, 14, 15, 16, 11, 12});

    float back[2] = {};
    int total = 0;
    CHECK(cudaMemcpyFromSymbol(back, weights, sizeof(back), sizeof(float)) == cudaSuccess);
    CHECK((back[0] == 2 && back[1] == 3));
    CHECK(cudaMemcpyFromSymbol(&total, device_total, sizeof(int)) == cudaSuccess);
    CHECK(total == 8);
    CHECK(cudaMemcpyToSymbol(weights, values.data(), sizeof(weights), 4) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

}  // namespace kernel_checks
