// An access out of bounds: the last block has threads for which there is no element. `if (i < n)` repairs it.
#include <cstdio>

__global__ void fill_kernel(int* d_data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_data[i] = n - i;
}

int main() {
    const int n = 1000;
    int* d_data;
    if (cudaMalloc(&d_data, n * sizeof(int)) != cudaSuccess) return 1;
    fill_kernel<<<(n + 255) / 256, 256>>>(d_data, n);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}
