// libcu++'s atomics, limits, arrays, pairs, spans and functions.
#include <cuda/atomic>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include "check.h"

__device__ cuda::atomic<int, cuda::thread_scope_device> counter{0};

__global__ void atomics_kernel(unsigned int* sums, float* floats) {
    __shared__ cuda::atomic<unsigned int, cuda::thread_scope_block> in_block;
    if (threadIdx.x == 0) in_block.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    in_block += threadIdx.x;
    counter.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned int, cuda::thread_scope_device> most(sums[1]), least(sums[2]), swapped(sums[3]);
    most.fetch_max(threadIdx.x);
    least.fetch_min(threadIdx.x, cuda::std::memory_order_relaxed);
    unsigned int expected = swapped.load();
    while (!swapped.compare_exchange_weak(expected, expected + 2, cuda::memory_order_acq_rel,
                                          cuda::memory_order_acquire)) {}
    cuda::atomic_ref<float, cuda::thread_scope_system>{*floats}.fetch_add(0.5f);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    __syncthreads();
    if (threadIdx.x == 0) cuda::atomic_ref<unsigned int>(sums[0]) += cuda::std::move(in_block).load();
}

__global__ void least_kernel(const float* numbers, float* results) {
    cuda::std::array<float, 4> all;
    all.fill(cuda::std::numeric_limits<float>::infinity());
    for (cuda::std::size_t i = 0; i < all.size(); ++i) all[i] = cuda::std::fmin(all[i], numbers[i]);
    float least = cuda::std::numeric_limits<float>::max();
    for (const float number : all) least = cuda::std::fmin(least, number);
    results[0] = least;
    results[1] = all.back();
    results[2] = cuda::std::sqrt(all.front());
    results[3] = cuda::std::numeric_limits<int>::lowest() == INT_MIN && FLT_MAX > least;
}

template <typename Operation>
__device__ int fold(cuda::std::span<const int> numbers, Operation operation, int result) {
    for (const int number : numbers) result = operation(result, number);
    return result;
}

__global__ void spans_kernel(int* numbers, int n, int* results) {
    const cuda::std::span<int> all(numbers, n);
    results[0] = fold(all, cuda::std::plus<int>{}, 0);
    results[1] = fold(all.subspan(1, 2), cuda::std::multiplies<>{}, 1);
    results[2] = cuda::std::max(all.front(), all.back());
    results[3] = all.first(0).empty() && cuda::std::less<>{}(1, 2);
    const cuda::std::pair<int, int> both = cuda::std::make_pair(n, cuda::std::clamp(n, 0, 2));
    int local[3] = {both.first, both.second, static_cast<int>(all.last(2).size_bytes())};
    results[4] = fold(local, cuda::std::plus<>{}, 0);
}

int main() {
    static_assert(cuda::std::is_same_v<cuda::std::uint32_t, unsigned int>);
    unsigned int* sums;
    float* floats;
    RUNS(cudaMallocManaged(&sums, 4 * sizeof(int)));
    RUNS(cudaMallocManaged(&floats, 8 * sizeof(float)));
    sums[0] = sums[1] = sums[3] = 0;
    sums[2] = 99;
    *floats = 0;
    atomics_kernel<<<8, 64>>>(sums, floats);
    RUNS(cudaDeviceSynchronize());
    CHECK(sums[0] == 8 * 64 * 63 / 2 && sums[1] == 63 && sums[2] == 0 && sums[3] == 8 * 64 * 2);
    CHECK(*floats == 8 * 64 / 2);
    int count = 0;
    RUNS(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    CHECK(count == 8 * 64);
    cuda::std::atomic<int> host = 3;
    CHECK(host++ == 3 && host.exchange(7) == 4 && host == 7);

    for (int i = 0; i < 4; ++i) floats[i] = static_cast<float>(9 - i);
    least_kernel<<<1, 1>>>(floats, floats + 4);
    RUNS(cudaDeviceSynchronize());
    CHECK(floats[4] == 6 && floats[5] == 6 && floats[6] == 3 && floats[7] == 1);

    int* numbers;
    RUNS(cudaMallocManaged(&numbers, 9 * sizeof(int)));
    for (int i = 0; i < 4; ++i) numbers[i] = 4 - i;
    spans_kernel<<<1, 1>>>(numbers, 4, numbers + 4);
    RUNS(cudaDeviceSynchronize());
    CHECK(numbers[4] == 10 && numbers[5] == 6 && numbers[6] == 4 && numbers[7] == 1);
    CHECK(numbers[8] == 4 + 2 + 8);
}
