/// @file
/// @brief Checks of what a kernel may rely on: atomic functions.
#pragma once

#include <cstdint>
#include <vector>

#include "../grid/kernels.cuh"

namespace kernel_checks {

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

/// Stores the value that `atomic` returns in `d_result[0]`, and the new value in `d_result[1]`.
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

TEST_CASE("each atomic function returns the old value and stores the new one, for all of CUDA's types") {
    check_integer_atomics<int>();
    check_integer_atomics<unsigned int>();
    check_integer_atomics<unsigned long long>();
    check_atomic<int, Min>(-5, 3, -5);
    check_atomic<int, Max>(-5, 3, 3);
    check_atomic<long long, Min>(-5, 3, -5);
    check_atomic<long long, Max>(-5, 3, 3);
    check_atomic<long long, And>(-4, 10, 8);
    check_atomic<long long, Or>(-4, 3, -1);
    check_atomic<long long, BitXor>(-1, 1, -2);
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

TEST_CASE("atomicCAS stores if the old value is the expected one, and returns the old value") {
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

TEST_CASE("no addition to a sum of many blocks is lost, in global or shared memory") {
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

}  // namespace kernel_checks
