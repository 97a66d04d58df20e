// A missing barrier: a thread may read its neighbour's value before the neighbour has stored it.
// __syncthreads() between the two lines repairs it.
#include <cstdio>

__global__ void neighbours_kernel(int* d_data) {
    __shared__ int values[128];
    values[threadIdx.x] = threadIdx.x * threadIdx.x;
    d_data[threadIdx.x] = values[(threadIdx.x + 1) % 128];
}

int main() {
    int data[128], *d_data, wrong = 0;
    if (cudaMalloc(&d_data, sizeof(data)) != cudaSuccess) return 1;
    neighbours_kernel<<<1, 128>>>(d_data);
    if (cudaMemcpy(data, d_data, sizeof(data), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int i = 0; i < 128; ++i) wrong += data[i] != (i + 1) % 128 * ((i + 1) % 128);
    std::printf("%d of 128 values are wrong\n", wrong);
    return cudaFree(d_data) == cudaSuccess && wrong == 0 ? 0 : 1;
}
