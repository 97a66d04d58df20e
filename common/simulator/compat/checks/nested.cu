// Kernels that launch kernels.
#include "check.h"

__global__ void leaf_kernel(int* sums, int depth, int summand) { atomicAdd(&sums[depth], summand); }

__global__ void node_kernel(int* sums, int depth) {
    if (threadIdx.x == 0) leaf_kernel<<<2, 3>>>(sums, depth, depth + 1);
    if (threadIdx.x == 0 && depth < 3) node_kernel<<<2, 32>>>(sums, depth + 1);
}

template <typename T>
__global__ void double_kernel(T* numbers, int n) {
    if (n > 1) double_kernel<<<1, 1>>>(numbers + 1, n - 1);
    *numbers *= 2;
}

int main() {
    int* sums;
    RUNS(cudaMallocManaged(&sums, 4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) sums[i] = 0;
    node_kernel<<<1, 32>>>(sums, 0);
    RUNS(cudaDeviceSynchronize());
    for (int depth = 0; depth < 4; ++depth) CHECK(sums[depth] == (1 << depth) * 6 * (depth + 1));

    cudaStream_t stream;
    RUNS(cudaStreamCreate(&stream));
    double_kernel<<<1, 1, 0, stream>>>(sums, 4);
    RUNS(cudaStreamSynchronize(stream));
    for (int depth = 0; depth < 4; ++depth) CHECK(sums[depth] == (1 << depth) * 12 * (depth + 1));
    RUNS(cudaStreamDestroy(stream));
    RUNS(cudaFree(sums));
}
