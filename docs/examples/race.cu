// A race: all threads add to one number without an atomic. Where the threads take turns, the result is right
// by luck; the lens names the two accesses that nothing orders. atomicAdd(d_count, 1) repairs it.
#include <cstdio>

__global__ void count_kernel(int* d_count) { *d_count += 1; }

int main() {
    int count = 0, *d_count;
    if (cudaMalloc(&d_count, sizeof(int)) != cudaSuccess) return 1;
    if (cudaMemset(d_count, 0, sizeof(int)) != cudaSuccess) return 1;
    count_kernel<<<1, 256>>>(d_count);
    if (cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("256 threads have counted to %d\n", count);
    return cudaFree(d_count) == cudaSuccess ? 0 : 1;
}
