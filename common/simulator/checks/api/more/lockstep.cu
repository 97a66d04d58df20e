// A reduction of a warp that relies on lockstep, as programs for GPUs before Volta do.
#include "check.h"

template <int kUnused>
__device__ void reduce_warp(volatile int* sums, unsigned int lane) {
    sums[lane] += sums[lane + 32];
    sums[lane] += sums[lane + 16];
    sums[lane] = sums[lane] + sums[lane + 8];
    sums[lane] += sums[lane + 4];
    sums[lane] += sums[lane + 2];
    sums[lane] += sums[lane + 1];
}

template <typename Number>
__device__ void rotate(volatile Number* all, unsigned int lane) {
    all[lane] = all[(lane + 31) % 32];
}

struct Pair {
    int first, second;
};

template <typename Number>
__global__ void rotate_twice_kernel(Number* numbers) {
    __shared__ Number shared[32];
    __shared__ Pair pairs[2];
    volatile Pair *pair = pairs, *next = pairs + 1;  // of structs, or several: as in C++
    volatile Pair* same = pair;
    same->first = next->second = static_cast<int>(threadIdx.x);
    volatile Number* all = shared;
    all[threadIdx.x] = numbers[threadIdx.x];
    rotate(shared, threadIdx.x);
    rotate<Number>(shared, threadIdx.x);
    numbers[threadIdx.x] = shared[threadIdx.x];
}

template <typename T, int kNumbers>
__device__ T* skip(T* numbers) {
    return numbers + kNumbers;
}

template <typename T>
__global__ void rotate_kernel(T* numbers) {
    __shared__ T shared[33];
    volatile T* all = skip<T, 1>(shared);
    all[threadIdx.x] = numbers[threadIdx.x];
    all[threadIdx.x] =
        all[(threadIdx.x + 31) % 32];  // lane 1 reads what lane 0 has stored only if lanes do not read first
    numbers[threadIdx.x] = all[threadIdx.x];
}

__global__ void sum_kernel(const int* numbers, int* sum) {
    __shared__ int sums[128];
    sums[threadIdx.x] = numbers[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 64) sums[threadIdx.x] += sums[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) reduce_warp<0>(sums, threadIdx.x);
    if (threadIdx.x == 0) *sum = sums[0];
}

int main() {
    int *numbers, *sum;
    RUNS(cudaMallocManaged(&numbers, 128 * sizeof(int)));
    RUNS(cudaMallocManaged(&sum, sizeof(int)));
    for (int i = 0; i < 128; ++i) numbers[i] = i * i;
    sum_kernel<<<1, 128>>>(numbers, sum);
    RUNS(cudaDeviceSynchronize());
    CHECK(*sum == 127 * 128 * 255 / 6);
    rotate_kernel<<<1, 32>>>(numbers);
    RUNS(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(numbers[i] == (i + 31) % 32 * ((i + 31) % 32));
    rotate_twice_kernel<<<1, 32>>>(numbers);
    RUNS(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(numbers[i] == (i + 29) % 32 * ((i + 29) % 32));
}
