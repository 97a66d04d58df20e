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
    volatile Pair *pair = pairs,
                  *next = pairs +
                          1;  // pointers to structs, or several pointers in a declaration, behave as in C++
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

__device__ void rotate_array(volatile int* all, unsigned int lane) { all[lane] = all[(lane + 31) % 32]; }

template <typename Number>
__global__ void rotate_arrays_kernel(int* numbers, unsigned int* first) {
    __shared__ volatile int all[33], rows[32][2];
    volatile __shared__ Number copy[32];
    extern __shared__ volatile unsigned int dynamic[];
    const unsigned int lane = threadIdx.x;
    all[lane] = rows[lane][1] = numbers[lane];
    all[lane] = all[(lane + 31) % 32];
    rotate_array(all, lane);
    all[lane] += 1;
    all[lane] -= __shfl_sync(~0u, all[lane], 0) - __shfl_xor_sync(~0u, all[0], 1) + 1;
    rows[lane][0] = rows[(lane + 1) % 32][1];
    copy[lane] = Number(max(rows[lane][0], 5));
    copy[lane] = copy[(lane + 1) % 32];
    dynamic[lane] = lane;
    dynamic[lane] = dynamic[(lane + 1) % 32] << 1;
    dynamic[lane]++;
    numbers[lane] = all[lane];
    numbers[lane + 32] = rows[lane][0];
    numbers[lane + 64] = static_cast<int>(copy[lane]);
    first[lane] = dynamic[lane];
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

    unsigned int* first;
    RUNS(cudaMallocManaged(&first, 32 * sizeof(unsigned int)));
    for (int i = 0; i < 32; ++i) numbers[i] = i;
    rotate_arrays_kernel<double><<<1, 32, 128>>>(numbers, first);
    RUNS(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) {
        CHECK(numbers[i] == (i + 30) % 32);
        CHECK(numbers[i + 32] == (i + 1) % 32);
        CHECK(numbers[i + 64] == ((i + 2) % 32 < 5 ? 5 : (i + 2) % 32));
        CHECK(static_cast<int>(first[i]) == (i + 1) % 32 * 2 + 1);
    }
}
