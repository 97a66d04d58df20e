// Each thread prints where it is. A kernel runs after its launch: the host has to wait for it.
#include <cstdio>

__global__ void hello_kernel() {
    std::printf("block %u of %u, thread %u of %u\n", blockIdx.x, gridDim.x, threadIdx.x, blockDim.x);
}

int main() {
    hello_kernel<<<2, 4>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}
