// The lanes of a warp add up their values by shuffles: after five steps, lane 0 has the sum.
#include <cstdio>

__global__ void warp_sum_kernel(int* d_sum) {
    int value = threadIdx.x + 1;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    if (threadIdx.x == 0) *d_sum = value;
}

int main() {
    int sum = 0, *d_sum;
    if (cudaMalloc(&d_sum, sizeof(int)) != cudaSuccess) return 1;
    warp_sum_kernel<<<1, 32>>>(d_sum);
    if (cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("1 + 2 + ... + 32 = %d\n", sum);
    return cudaFree(d_sum) == cudaSuccess && sum == 528 ? 0 : 1;
}
