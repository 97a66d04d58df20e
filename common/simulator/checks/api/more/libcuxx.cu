// libcu++'s atomics.
#include <cuda/atomic>
#include <cuda/std/cstdint>
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

int main() {
    static_assert(cuda::std::is_same_v<cuda::std::uint32_t, unsigned int>);
    unsigned int* sums;
    float* floats;
    RUNS(cudaMallocManaged(&sums, 4 * sizeof(int)));
    RUNS(cudaMallocManaged(&floats, sizeof(float)));
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
}
