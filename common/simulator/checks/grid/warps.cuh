/// @file
/// @brief Checks of what a kernel may rely on: the functions of a warp.
#pragma once

#include <simulator/cooperation.h>

#include <cstdint>
#include <vector>

#include "kernels.cuh"

namespace kernel_checks {

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

/// The four shuffles. `source` is the lane that `lane` reads from according to CUDA's documentation.
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

/// Even lanes exchange values among themselves, as do odd lanes, more often; some lanes have returned.
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

/// From thread `first` on, the last lanes of each warp return while the other lanes wait for the whole warp.
__global__ void leaving_lanes_kernel(unsigned int first, int* d_result) {
    if (threadIdx.x < first || threadIdx.x % 32 >= 20) return;
    d_result[threadIdx.x] = __popc(__ballot_sync(0xffffffffu, 1));
}

TEST_CASE("a warp does not wait for lanes that have returned, even if they return last") {
    for (const int first : {0, 64}) {
        const auto result = zeros<int>(96);
        leaving_lanes_kernel<<<1, 96>>>(static_cast<unsigned int>(first), result.data());
        std::vector<int> expected;
        for (int i = 0; i < 96; ++i) expected.push_back(i >= first && i % 32 < 20 ? 20 : 0);
        CHECK(result.to_host() == expected);
    }
}

/// Even and odd lanes take different branches. In odd warps, the branches are swapped.
__global__ void converging_kernel(unsigned int* d_lanes) {
    unsigned int* const lanes = &d_lanes[2 * threadIdx.x];
    if ((threadIdx.x / warpSize + threadIdx.x) % 2 == 0) {
        lanes[0] = sim::converged_lanes({__FILE__, __LINE__});
    } else {
        lanes[0] = sim::converged_lanes({__FILE__, __LINE__});
    }
    lanes[1] = sim::converged_lanes({__FILE__, __LINE__});
}

TEST_CASE("the lanes of a warp that converge are those on the same line, in a ragged warp as well") {
    const auto result = zeros<unsigned int>(2 * 72);
    converging_kernel<<<1, 72>>>(result.data());
    const std::vector<unsigned int> got = result.to_host();
    for (unsigned int i = 0; i < 72; ++i) {
        const unsigned int mask = i < 64 ? ~0u : 0xffu;
        CAPTURE(i);
        CHECK(got[2 * i] == ((i % 2 == 0 ? 0x55555555u : 0xaaaaaaaau) & mask));
        CHECK(got[2 * i + 1] == mask);
    }
}

__global__ void lone_lane_kernel(int* d_result) {
    if (threadIdx.x == 0) *d_result = __shfl_sync(1u, 7, 0);
}

TEST_CASE("the first lane can be alone in a mask") {
    const auto result = zeros<int>(1);
    lone_lane_kernel<<<1, 32>>>(result.data());
    CHECK(result.to_host()[0] == 7);
}

/// A few lanes continue to exchange before the other lanes have read the results of the first exchange.
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
    unsigned int* const result = d_result + 11 * threadIdx.x;
    result[0] = __ballot_sync(mask, lane % 3 == 0 ? 8 : 0);
    result[1] = static_cast<unsigned int>(__any_sync(mask, lane == 5)) != 0;
    result[2] = static_cast<unsigned int>(__any_sync(mask, lane > 31)) != 0;
    result[3] = static_cast<unsigned int>(__all_sync(mask, lane < 32)) != 0;
    result[4] = static_cast<unsigned int>(__all_sync(mask, lane != 5)) != 0;
    result[5] = __reduce_add_sync(mask, lane);
    result[6] = static_cast<unsigned int>(__reduce_add_sync(mask, static_cast<int>(lane) - 100));
    result[7] = __activemask() >> lane & 1;
    result[8] = __match_any_sync(mask, lane % 3 == 0 ? 8.5f : 0.0f);
    int all_same = 2;
    result[9] = __match_all_sync(mask, lane, &all_same);
    result[10] = __match_all_sync(mask, blockDim.x, &all_same) + static_cast<unsigned int>(all_same);
}

TEST_CASE("warp votes, matches and sums are those of the mask's lanes, in a ragged warp as well") {
    const auto result = zeros<unsigned int>(11 * 40);
    warp_vote_kernel<<<1, 40>>>(result.data());
    const std::vector<unsigned int> got = result.to_host();
    for (unsigned int i = 0; i < 40; ++i) {
        const unsigned int lanes = i < 32 ? 32 : 8, sum = lanes * (lanes - 1) / 2;
        const unsigned int mask = lanes == 32 ? 0xffffffffu : 0xffu, ballot = 0x49249249u & mask;
        const unsigned int match = i % 32 % 3 == 0 ? ballot : mask & ~ballot;
        const std::vector<unsigned int> expected{ballot, 1,     0, 1,       0, sum, sum - 100 * lanes,
                                                 1,      match, 0, mask + 1};
        CAPTURE(i);
        REQUIRE(std::vector<unsigned int>(&got[11 * i], &got[11 * i] + 11) == expected);
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

}  // namespace kernel_checks
