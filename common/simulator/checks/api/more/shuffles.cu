// Shuffles from lanes that take no part. Legal kernels do not use the values; with an argument, the program
// makes the mistake of that number.
#include "check.h"

constexpr unsigned int kAll = 0xffffffff;
__device__ int first_lanes_sum(int v, unsigned int mask, int lanes) {
    for (int d = lanes / 2; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);
    return v;
}

// In a tree, upper lanes read from lanes that have returned or do not exist, but their sums are not used.
__global__ void half_warp_kernel(int* out) {
    if (threadIdx.x >= 16) return;
    const int sum = first_lanes_sum(1, 0xffff, 16);
    if (threadIdx.x == 0) *out = sum;
}

// Only values from existing lanes are added.
__global__ void guarded_kernel(int* out) {
    const int lane = threadIdx.x % 32, lanes = min(32u, blockDim.x - (threadIdx.x - lane));
    int v = 1;
    for (int d = 1; d < 32; d *= 2) {
        const int o = __shfl_down_sync(kAll, v, d);
        if (lane + d < lanes) v += o;
    }
    for (int d = 16; d > 0; d /= 2) {
        const int o = __shfl_down_sync(kAll, v, d);
        v += lane + d < lanes ? 0 * o : 0;
    }
    if (lane == 0) atomicAdd(out, v);
}

// Each warp adds up the partial sums, but only threads of the first warp have any.
__global__ void every_warp_kernel(int* out) {
    __shared__ int sums[32];
    if (threadIdx.x == 0) sums[0] = 1, sums[1] = 2;
    __syncthreads();
    int v = threadIdx.x < 2 ? sums[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(kAll, v, d);
    int most = threadIdx.x < 2 ? sums[threadIdx.x] : -1;
    for (int d = 16; d > 0; d /= 2) most = max(most, __shfl_xor_sync(kAll, most, d));
    if (threadIdx.x == 0) *out = v + most;
}

// Moving sums and shifts. Of 33 threads, the last warp has one lane. Only thread 0's result is stored.
__global__ void moving_sum_kernel(int* out) {
    int v = 1, next = static_cast<int>(threadIdx.x);
    v += __shfl_down_sync(kAll, v, 1);
    for (int d = 1; d < 8; d *= 2) v += __shfl_down_sync(kAll, v, d);
    next = __shfl_down_sync(kAll, next, 1);
    next = __shfl_sync(kAll, next, threadIdx.x % 32 + 1);
    if (threadIdx.x == 0) *out = v + next;
}

// Sums in each of several warps, two numbers at a time, and then maxima and other distances.
__global__ void pairs_kernel(int* out) {
    int a = 1, b = 2, greatest = static_cast<int>(threadIdx.x);
    if (threadIdx.x >= 64) return;
    for (int d = 16; d > 0; d /= 2) {
        a = a + __shfl_xor_sync(kAll, a, d);
        b = __shfl_xor_sync(kAll, b, d) + b;
        greatest = max(__shfl_xor_sync(kAll, greatest, 32 / 2 / d), greatest);
    }
    a = __shfl_sync(kAll, a, 31);
    if (threadIdx.x < 8) a += first_lanes_sum(1, 0xff, 8);
    if (threadIdx.x == 0) *out = a + b + greatest;
}

template <typename T>
__global__ void ragged_kernel(T* out) {  // 2, 3: the block has 80 threads
    T v = 1;
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(kAll, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
__global__ void mask_kernel(int* out) {  // 1: a mask of one lane
    if (threadIdx.x != 0) return;
    *out = first_lanes_sum(1, 1, 32);
}
__global__ void exited_kernel(
    float* out) {  // 4, in turn: without 28 and 29, 12 and 13 are undefined, then 4 and 5
    float most = 1;
    if (threadIdx.x == 28 || threadIdx.x == 29) return;
    most = fmaxf(most, __shfl_down_sync(kAll, most, 16));
    most = fmaxf(most, __shfl_down_sync(kAll, most, 8));
    most = fmaxf(__shfl_down_sync(kAll, most, 4), most);
    most = fmaxf(most, __shfl_down_sync(kAll, most, 2));
    most = fmaxf(most, __shfl_down_sync(kAll, most, 1));
    if (threadIdx.x == 0) *out = most;
}
__global__ void broadcast_kernel(int* out) {  // 5
    int v = 1;
    if (threadIdx.x == 0) return;
    v = __shfl_sync(kAll, v, 0);
    out[0] = v;
}
__global__ void two_sums_kernel(
    double* out) {  // 6: up, into the last lane; the second sum alone misses lanes
    struct {
        double x, y;
    } sum{1, 2};
    if (threadIdx.x < 16) return;
    for (int d = 1; d < 32; d *= 2) {
        if (threadIdx.x % 32 >= 16) sum.x *= __shfl_xor_sync(0xffff0000, sum.x, d % 16);
        sum.y = sum.y - __shfl_up_sync(kAll, sum.y, d);
    }
    if (threadIdx.x == 31) *out = sum.y;
}
__global__ void poison_kernel(int* out) { *out = out[1] * 3; }                           // 7: never written
__global__ void near_poison_kernel(int* out) { out[1] += 7 - *out, *out = out[1] * 3; }  // 8: nor here

template <typename T>
T result(void (*kernel)(T*), unsigned int threads) {
    T *device, host = 0;
    RUNS(cudaMalloc(&device, 2 * sizeof(T)));
    RUNS(cudaMemcpy(device, &host, sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<1, threads>>>(device);
    RUNS(cudaMemcpy(&host, device, sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

int main(int argc, char** argv) {
    switch (argc > 1 ? atoi(argv[1]) : 0) {
        case 1: return result(mask_kernel, 32) == 0;
        case 2: return result(ragged_kernel<int>, 80) == 0;
        case 3: return result(ragged_kernel<float>, 80) == 0;
        case 4: return result(exited_kernel, 32) == 0;
        case 5: return result(broadcast_kernel, 32) == 0;
        case 6: return result(two_sums_kernel, 32) == 0;
        case 7: return result(poison_kernel, 1) == 0;
        case 8: return result(near_poison_kernel, 1) == 0;
        default: break;
    }
    for (const unsigned int threads : {16u, 32u, 80u}) CHECK(result(half_warp_kernel, threads) == 16);
    CHECK(result(guarded_kernel, 80) == 80);
    for (const unsigned int threads : {80u, 96u, 33u}) CHECK(result(every_warp_kernel, threads) == 5);
    for (const unsigned int threads : {64u, 33u}) CHECK(result(moving_sum_kernel, threads) == 18);
    CHECK(result(pairs_kernel, 65) == 32 + 64 + 31 + 8);
}
