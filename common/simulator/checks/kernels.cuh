/// @file
/// @brief Checks of what a kernel may count on: indices, shared memory, barriers, warps, atomics.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "../../checks/catch.hpp"
#include "../../cuda/device_buffer.cuh"

namespace kernel_checks {

template <typename T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
    DeviceBuffer<T> buffer(host.size());
    CUDA_CHECK(cudaMemcpy(buffer.data(), host.data(), buffer.bytes(), cudaMemcpyHostToDevice));
    return buffer;
}

template <typename T>
DeviceBuffer<T> zeros(std::size_t count) {
    return on_device(std::vector<T>(count));
}

// --- Indices ------------------------------------------------------------------------------------

__global__ void visit_kernel(unsigned int* d_visits) {
    const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    atomicAdd(&d_visits[block * blockDim.x * blockDim.y * blockDim.z + thread], 1u);
}

TEST_CASE("every index of a grid and a block of three dimensions is visited once") {
    const dim3 shapes[] = {1, 7, 64, {3, 2}, {1, 5, 1}, {2, 3, 4}, {1, 1, 6}, {33, 1, 2}};
    for (const dim3& grid : shapes) {
        for (const dim3& block : shapes) {
            const std::size_t threads = std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
            const auto visits = zeros<unsigned int>(threads);
            visit_kernel<<<grid, block>>>(visits.data());
            CHECK(cudaGetLastError() == cudaSuccess);
            CHECK(visits.to_host() == std::vector<unsigned int>(threads, 1));
        }
    }
}

TEST_CASE("a block has up to 1024 threads, and a grid many more blocks than workers") {
    for (const dim3& block : {dim3(1024), dim3(1, 1024), dim3(16, 1, 64), dim3(32, 32)}) {
        const auto visits = zeros<unsigned int>(999 * 1024);
        visit_kernel<<<999, block>>>(visits.data());
        CHECK(visits.to_host() == std::vector<unsigned int>(999 * 1024, 1));
    }
}

// --- Shared memory ------------------------------------------------------------------------------

/// Reverses each block's numbers. `T` and `kCount` make it several kernels with memory of their own.
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

// --- Constant and global variables --------------------------------------------------------------

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

// --- Barriers -----------------------------------------------------------------------------------

/// In each round every thread reads what another has written, then writes for the next round.
__global__ void ring_kernel(int* d_result, int rounds) {
    __shared__ int cells[1024];
    cells[threadIdx.x] = static_cast<int>(threadIdx.x);
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
        const int next = cells[(threadIdx.x + 1) % blockDim.x];
        __syncthreads();
        cells[threadIdx.x] = next;
    }
    d_result[blockIdx.x * blockDim.x + threadIdx.x] = cells[threadIdx.x];
}

TEST_CASE("__syncthreads separates what is before from what is after, for every block size") {
    for (const int threads : {1, 2, 31, 32, 33, 100, 256, 1024}) {
        const auto result = zeros<int>(5 * static_cast<std::size_t>(threads));
        ring_kernel<<<5, threads>>>(result.data(), 7);
        std::vector<int> expected;
        for (int i = 0; i < 5 * threads; ++i) expected.push_back((i % threads + 7) % threads);
        CHECK(result.to_host() == expected);
    }
}

__global__ void vote_kernel(int* d_votes, unsigned int leave_from) {
    if (threadIdx.x >= leave_from) return;
    const int index = static_cast<int>(threadIdx.x);
    int* const votes = d_votes + 5 * index;
    votes[0] = __syncthreads_count(index % 3 == 0 ? 7 : 0);
    votes[1] = __syncthreads_and(index >= 0);
    votes[2] = __syncthreads_and(index != 1);
    votes[3] = __syncthreads_or(index == 1);
    votes[4] = __syncthreads_or(index < 0);
}

TEST_CASE("__syncthreads_count, _and and _or tell all threads of the votes of those that have not returned") {
    for (const int live : {100, 64, 33, 2}) {
        const auto votes = zeros<int>(5 * 100);
        vote_kernel<<<1, 100>>>(votes.data(), static_cast<unsigned int>(live));
        const std::vector<int> got = votes.to_host();
        for (int i = 0; i < live; ++i) {
            CAPTURE(live, i);
            REQUIRE(got[5 * i] == (live + 2) / 3);
            REQUIRE((got[5 * i + 1] != 0 && got[5 * i + 2] == 0));
            REQUIRE((got[5 * i + 3] != 0 && got[5 * i + 4] == 0));
        }
    }
}

/// Half of the threads that are left returns before each barrier.
__global__ void shrinking_kernel(int* d_barriers) {
    for (unsigned int live = blockDim.x; live > 0; live /= 2) {
        if (threadIdx.x >= live) return;
        __syncthreads();
        atomicAdd(d_barriers, 1);
    }
}

TEST_CASE("threads may return before a barrier that others wait at") {
    const auto barriers = zeros<int>(1);
    shrinking_kernel<<<3, 256>>>(barriers.data());
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(barriers.to_host()[0] == 3 * 511);
}

__global__ void fence_kernel(const int* d_data, int* d_partials, unsigned int* d_done, int* d_sum) {
    __shared__ bool last;
    const int sum = __syncthreads_count(d_data[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
        d_partials[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(d_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x != 0) return;
    int total = 0;
    for (unsigned int block = 0; block < gridDim.x; ++block) total += d_partials[block];
    atomicAdd(d_sum, total);
}

TEST_CASE("after __threadfence the last block sees what all the others have written") {
    const auto data = on_device(std::vector<int>(500 * 64, 1));
    const auto partials = zeros<int>(500);
    const auto done = zeros<unsigned int>(1);
    const auto sum = zeros<int>(1);
    for (int round = 1; round <= 3; ++round) {  // atomicInc has wrapped to 0 for the next launch
        fence_kernel<<<500, 64>>>(data.data(), partials.data(), done.data(), sum.data());
        CHECK(sum.to_host()[0] == round * 500 * 64);
        CHECK(done.to_host()[0] == 0);
    }
}

// --- Warps --------------------------------------------------------------------------------------

__global__ void warp_ring_kernel(int* d_result) {
    __shared__ int cells[64];
    const unsigned int warp = threadIdx.x / warpSize * warpSize;
    int value = static_cast<int>(threadIdx.x);
    for (int round = 0; round < 3; ++round) {
        cells[threadIdx.x] = value;
        __syncwarp();
        value = cells[warp + (threadIdx.x + 1) % warpSize];
        __syncwarp();
    }
    d_result[threadIdx.x] = value;
}

TEST_CASE("__syncwarp separates what is before from what is after in a warp") {
    const auto result = zeros<int>(64);
    warp_ring_kernel<<<1, 64>>>(result.data());
    std::vector<int> expected;
    for (int i = 0; i < 64; ++i) expected.push_back(i / 32 * 32 + (i + 3) % 32);
    CHECK(result.to_host() == expected);
}

/// The four shuffles, and by CUDA's description the lane that `lane` reads from.
struct Direct {
    template <typename T>
    __device__ T operator()(unsigned int mask, T value, int argument, int width) const {
        return __shfl_sync(mask, value, argument, width);
    }
    static int source(int lane, int argument, int width) {
        return lane / width * width + ((argument % width) + width) % width;
    }
};
struct Up {
    template <typename T>
    __device__ T operator()(unsigned int mask, T value, int argument, int width) const {
        return __shfl_up_sync(mask, value, static_cast<unsigned int>(argument), width);
    }
    static int source(int lane, int argument, int width) {
        return lane % width >= argument ? lane - argument : lane;
    }
};
struct Down {
    template <typename T>
    __device__ T operator()(unsigned int mask, T value, int argument, int width) const {
        return __shfl_down_sync(mask, value, static_cast<unsigned int>(argument), width);
    }
    static int source(int lane, int argument, int width) {
        return lane % width + argument < width ? lane + argument : lane;
    }
};
struct Xor {
    template <typename T>
    __device__ T operator()(unsigned int mask, T value, int argument, int width) const {
        return __shfl_xor_sync(mask, value, argument, width);
    }
    static int source(int lane, int argument, int width) {
        const int other = lane ^ argument;
        return other / width <= lane / width ? other : lane;
    }
};

template <typename T>
__host__ __device__ T value_of(int lane) {
    return static_cast<T>(lane) * static_cast<T>(1000003) / static_cast<T>(4) + static_cast<T>(1);
}

template <typename T, typename Shuffle>
__global__ void shuffle_kernel(T* d_result, int argument, int width, Shuffle shuffle) {
    const int lane = static_cast<int>(threadIdx.x % warpSize);
    const unsigned int left = blockDim.x - threadIdx.x / warpSize * warpSize;
    const unsigned int mask = left >= 32 ? 0xffffffffu : (1u << left) - 1;
    d_result[threadIdx.x] = shuffle(mask, value_of<T>(lane), argument, width);
}

template <typename T, typename Shuffle>
void check_shuffle() {
    constexpr int kThreads = 72;  // the third warp has 8 lanes
    const auto result = zeros<T>(kThreads);
    for (int width = 1; width <= 32; width *= 2) {
        for (const int argument : {0, 1, 2, 5, 7, 8, 16, 31}) {
            shuffle_kernel<<<1, kThreads>>>(result.data(), argument, width, Shuffle());
            const std::vector<T> got = result.to_host();
            for (int i = 0; i < kThreads; ++i) {
                const int source = Shuffle::source(i % 32, argument, width);
                if (i >= 64 && source >= 8) continue;  // undefined: there is no such lane
                CAPTURE(width, argument, i);
                REQUIRE(got[i] == value_of<T>(source));
            }
        }
    }
}

template <typename T>
void check_shuffles() {
    check_shuffle<T, Direct>();
    check_shuffle<T, Up>();
    check_shuffle<T, Down>();
    check_shuffle<T, Xor>();
}

TEST_CASE("shuffles read from the lane that CUDA names: every form, width and type, and a ragged warp") {
    check_shuffles<int>();
    check_shuffles<unsigned int>();
    check_shuffles<long long>();
    check_shuffles<unsigned long long>();
    check_shuffles<float>();
    check_shuffles<double>();
}

__global__ void negative_source_kernel(int* d_result) {
    d_result[threadIdx.x] = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), -1);
}

TEST_CASE("a shuffle takes its source modulo the width, also a negative one") {
    const auto result = zeros<int>(32);
    negative_source_kernel<<<1, 32>>>(result.data());
    CHECK(result.to_host() == std::vector<int>(32, 31));
}

/// Even and odd lanes each exchange among themselves, and odd ones more often; some have returned.
__global__ void partial_mask_kernel(int* d_result) {
    const int lane = static_cast<int>(threadIdx.x);
    if (lane >= 28) return;
    int sum = lane;
    if (lane % 2 == 0) {
        sum += __shfl_xor_sync(0x05555555u, lane, 2);
    } else {
        for (int k = 0; k < 3; ++k) sum += __shfl_sync(0x0aaaaaaau, lane, 1 + 2 * k);
    }
    d_result[lane] = sum;
}

TEST_CASE("lanes of different masks do not wait for each other") {
    const auto result = zeros<int>(28);
    partial_mask_kernel<<<1, 32>>>(result.data());
    std::vector<int> expected;
    for (int lane = 0; lane < 28; ++lane) expected.push_back(lane % 2 ? lane + 1 + 3 + 5 : lane + (lane ^ 2));
    CHECK(result.to_host() == expected);
}

/// The last lanes of each warp return while the others wait for all.
__global__ void leaving_lanes_kernel(int* d_result) {
    if (threadIdx.x % 32 >= 20) return;
    d_result[threadIdx.x] = __popc(__ballot_sync(0xffffffffu, 1));
}

TEST_CASE("a warp does not wait for lanes that have returned, even if they return last") {
    const auto result = zeros<int>(96);
    leaving_lanes_kernel<<<1, 96>>>(result.data());
    std::vector<int> expected;
    for (int i = 0; i < 96; ++i) expected.push_back(i % 32 < 20 ? 20 : 0);
    CHECK(result.to_host() == expected);
}

/// A few lanes go on exchanging while the others have not yet read what the first exchange gave them.
__global__ void fast_lanes_kernel(int* d_result) {
    const int lane = static_cast<int>(threadIdx.x);
    int value = __shfl_sync(0xffffffffu, lane * 10, 31 - lane);
    if (lane < 4)
        for (int k = 0; k < 5; ++k) value += __shfl_sync(0xfu, value, lane ^ 1);
    d_result[lane] = value;
}

TEST_CASE("an exchange among few lanes leaves the other lanes' earlier results alone") {
    const auto result = zeros<int>(32);
    fast_lanes_kernel<<<1, 32>>>(result.data());
    std::vector<int> expected;
    for (int lane = 0; lane < 32; ++lane) expected.push_back((31 - lane) * 10);
    for (int k = 0; k < 5; ++k) {
        const std::vector<int> before = expected;
        for (int lane = 0; lane < 4; ++lane) expected[lane] += before[lane ^ 1];
    }
    CHECK(result.to_host() == expected);
}

__global__ void warp_vote_kernel(unsigned int* d_result) {
    const unsigned int lane = threadIdx.x % warpSize, left = blockDim.x - threadIdx.x / warpSize * warpSize;
    const unsigned int mask = left >= 32 ? 0xffffffffu : (1u << left) - 1;
    unsigned int* const result = d_result + 8 * threadIdx.x;
    result[0] = __ballot_sync(mask, lane % 3 == 0 ? 8 : 0);
    result[1] = static_cast<unsigned int>(__any_sync(mask, lane == 5)) != 0;
    result[2] = static_cast<unsigned int>(__any_sync(mask, lane > 31)) != 0;
    result[3] = static_cast<unsigned int>(__all_sync(mask, lane < 32)) != 0;
    result[4] = static_cast<unsigned int>(__all_sync(mask, lane != 5)) != 0;
    result[5] = __reduce_add_sync(mask, lane);
    result[6] = static_cast<unsigned int>(__reduce_add_sync(mask, static_cast<int>(lane) - 100));
    result[7] = __activemask() >> lane & 1;
}

TEST_CASE("warp votes and sums are those of the mask's lanes, in a ragged warp as well") {
    const auto result = zeros<unsigned int>(8 * 40);
    warp_vote_kernel<<<1, 40>>>(result.data());
    const std::vector<unsigned int> got = result.to_host();
    for (unsigned int i = 0; i < 40; ++i) {
        const unsigned int lanes = i < 32 ? 32 : 8, sum = lanes * (lanes - 1) / 2;
        const unsigned int ballot = 0x49249249u & (lanes == 32 ? 0xffffffffu : 0xffu);
        const std::vector<unsigned int> expected{ballot, 1, 0, 1, 0, sum, sum - 100 * lanes, 1};
        CAPTURE(i);
        REQUIRE(std::vector<unsigned int>(&got[8 * i], &got[8 * i] + 8) == expected);
    }
}

__global__ void bits_kernel(int* d_result) {
    d_result[0] = __popc(0xf0f0u);
    d_result[1] = __ffs(0);
    d_result[2] = __ffs(0x50);
    d_result[3] = static_cast<int>(__funnelshift_r(0x11223344u, 0x55667788u, 8));
    d_result[4] = static_cast<int>(__funnelshift_r(0x11223344u, 0x55667788u, 32));
}

TEST_CASE("__popc counts bits, __ffs finds the first one, from 1, and __funnelshift_r shifts two words") {
    const auto result = zeros<int>(5);
    bits_kernel<<<1, 1>>>(result.data());
    CHECK(result.to_host() == std::vector<int>{8, 0, 5, static_cast<int>(0x88112233u), 0x11223344});
}

// --- Atomics ------------------------------------------------------------------------------------

#define CHECK_ATOMIC(Name, function)                         \
    struct Name {                                            \
        template <typename T>                                \
        __device__ T operator()(T* address, T value) const { \
            return function(address, value);                 \
        }                                                    \
    }
CHECK_ATOMIC(Add, atomicAdd);
CHECK_ATOMIC(Sub, atomicSub);
CHECK_ATOMIC(Min, atomicMin);
CHECK_ATOMIC(Max, atomicMax);
CHECK_ATOMIC(Exchange, atomicExch);
CHECK_ATOMIC(And, atomicAnd);
CHECK_ATOMIC(Or, atomicOr);
CHECK_ATOMIC(BitXor, atomicXor);
CHECK_ATOMIC(Increment, atomicInc);
CHECK_ATOMIC(Decrement, atomicDec);

/// `d_result`: the old value, and the new one.
template <typename T, typename Atomic>
__global__ void atomic_kernel(T* d_result, T start, T value, Atomic atomic) {
    d_result[1] = start;
    d_result[0] = atomic(&d_result[1], value);
}

template <typename T, typename Atomic>
void check_atomic(T start, T value, T expected) {
    const auto result = zeros<T>(2);
    atomic_kernel<<<1, 1>>>(result.data(), start, value, Atomic());
    CHECK(result.to_host() == std::vector<T>{start, expected});
}

template <typename T>
void check_integer_atomics() {
    constexpr T kHigh = std::numeric_limits<T>::max();
    check_atomic<T, Add>(40, 2, 42);
    check_atomic<T, Exchange>(40, 2, 2);
    check_atomic<T, Min>(40, kHigh, 40);
    check_atomic<T, Min>(kHigh, 40, 40);
    check_atomic<T, Max>(40, kHigh, kHigh);
    check_atomic<T, Max>(kHigh, 40, kHigh);
    check_atomic<T, And>(12, 10, 8);
    check_atomic<T, Or>(12, 10, 14);
    check_atomic<T, BitXor>(12, 10, 6);
}

TEST_CASE("each atomic function answers the old value and stores the new one, for all of CUDA's types") {
    check_integer_atomics<int>();
    check_integer_atomics<unsigned int>();
    check_integer_atomics<unsigned long long>();
    check_atomic<int, Min>(-5, 3, -5);
    check_atomic<int, Max>(-5, 3, 3);
    check_atomic<long long, Min>(-5, 3, -5);
    check_atomic<long long, Max>(-5, 3, 3);
    check_atomic<int, Sub>(40, 42, -2);
    check_atomic<unsigned int, Sub>(1, 2, 0xffffffffu);
    check_atomic<unsigned int, Add>(0xffffffffu, 2, 1);
    check_atomic<float, Add>(1.5f, 2.25f, 3.75f);
    check_atomic<double, Add>(1.5, 2.25, 3.75);
    check_atomic<float, Exchange>(1.5f, 2.25f, 2.25f);
}

TEST_CASE("atomicInc and atomicDec wrap at their limit") {
    check_atomic<unsigned int, Increment>(3, 5, 4);
    check_atomic<unsigned int, Increment>(5, 5, 0);
    check_atomic<unsigned int, Increment>(9, 5, 0);
    check_atomic<unsigned int, Decrement>(3, 5, 2);
    check_atomic<unsigned int, Decrement>(0, 5, 5);
    check_atomic<unsigned int, Decrement>(9, 5, 5);
}

template <typename T>
__global__ void cas_kernel(T* d_result, T compare, T value) {
    d_result[0] = atomicCAS(&d_result[1], compare, value);
}

template <typename T>
void check_cas() {
    const auto result = on_device(std::vector<T>{0, 7});
    cas_kernel<T><<<1, 1>>>(result.data(), 8, 9);
    CHECK(result.to_host() == std::vector<T>{7, 7});
    cas_kernel<T><<<1, 1>>>(result.data(), 7, 9);
    CHECK(result.to_host() == std::vector<T>{7, 9});
}

TEST_CASE("atomicCAS stores if the old value is the expected one, and answers the old value") {
    check_cas<int>();
    check_cas<unsigned int>();
    check_cas<unsigned long long>();
    check_cas<unsigned short>();
}

template <typename T>
__global__ void add_kernel(T* d_sum) {
    __shared__ T block_sum;
    if (threadIdx.x == 0) block_sum = 0;
    __syncthreads();
    atomicAdd(&block_sum, static_cast<T>(1));
    atomicAdd(&d_sum[0], static_cast<T>(1));
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&d_sum[1], block_sum);
}

template <typename T>
void check_concurrent_add() {
    const auto sum = zeros<T>(2);
    add_kernel<T><<<2000, 128>>>(sum.data());
    CHECK(sum.to_host() == std::vector<T>(2, static_cast<T>(2000 * 128)));
}

TEST_CASE("no addition of many blocks to one sum gets lost, in global or shared memory") {
    check_concurrent_add<int>();
    check_concurrent_add<unsigned int>();
    check_concurrent_add<unsigned long long>();
    check_concurrent_add<float>();
    check_concurrent_add<double>();
}

__global__ void cas_add_kernel(unsigned long long* d_sum) {
    unsigned long long assumed, old = *d_sum;
    do {
        assumed = old;
        old = atomicCAS(d_sum, assumed, assumed + 3);
    } while (old != assumed);
}

TEST_CASE("an addition by atomicCAS loses nothing") {
    const auto sum = zeros<unsigned long long>(1);
    cas_add_kernel<<<1000, 64>>>(sum.data());
    CHECK(sum.to_host()[0] == 3 * 64000);
}

// --- Clocks and vectors -------------------------------------------------------------------------

__global__ void clock_kernel(long long* d_ticks, int* d_cell) {
    const long long start = clock64();
    const clock_t start_short = clock();
    for (int i = 0; i < 1000; ++i) atomicAdd(d_cell, 1);
    d_ticks[0] = clock64() - start;
    d_ticks[1] = clock() - start_short;
}

TEST_CASE("clock and clock64 advance while a thread works") {
    const auto ticks = zeros<long long>(2);
    const auto cell = zeros<int>(1);
    clock_kernel<<<1, 1>>>(ticks.data(), cell.data());
    CHECK(ticks.to_host()[0] > 0);
    CHECK(ticks.to_host()[1] > 0);
}

template <typename T>
constexpr bool has_layout(std::size_t size, std::size_t alignment) {
    return sizeof(T) == size && alignof(T) == alignment;
}

TEST_CASE("vector types have CUDA's sizes and alignments") {
    CHECK((has_layout<uchar1>(1, 1) && has_layout<uchar2>(2, 2)));
    CHECK((has_layout<uchar3>(3, 1) && has_layout<uchar4>(4, 4) && has_layout<char4>(4, 4)));
    CHECK((has_layout<short2>(4, 4) && has_layout<ushort4>(8, 8)));
    CHECK((has_layout<int2>(8, 8) && has_layout<int3>(12, 4) && has_layout<int4>(16, 16)));
    CHECK((has_layout<uint1>(4, 4) && has_layout<uint2>(8, 8) && has_layout<uint4>(16, 16)));
    CHECK((has_layout<longlong2>(16, 16) && has_layout<ulonglong2>(16, 16)));
    CHECK((has_layout<float2>(8, 8) && has_layout<float3>(12, 4) && has_layout<float4>(16, 16)));
    CHECK((has_layout<double1>(8, 8) && has_layout<double2>(16, 16) && has_layout<double3>(24, 8)));
    CHECK((has_layout<dim3>(12, 4) && dim3(5).y == 1 && dim3(5).z == 1));
    const float3 vector = make_float3(1, 2, 3);
    CHECK((vector.x == 1 && vector.y == 2 && vector.z == 3));
}

__global__ void wide_copy_kernel(const uint4* d_from, uint4* d_to) {
    d_to[threadIdx.x] = __ldcs(&d_from[threadIdx.x]);
}

TEST_CASE("a 16-byte load takes four numbers at once") {
    std::vector<unsigned int> data(4 * 32);
    std::iota(data.begin(), data.end(), 0u);
    const auto from = on_device(data), to = zeros<unsigned int>(data.size());
    wide_copy_kernel<<<1, 32>>>(reinterpret_cast<const uint4*>(from.data()),
                                reinterpret_cast<uint4*>(to.data()));
    CHECK(to.to_host() == data);
}

}  // namespace kernel_checks
