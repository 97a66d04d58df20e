// An endless loop: each thread of a block waits for the thread before it, and so does the first one, which
// has none before it. The simulator stops such a kernel when it has made no progress for 10 s. On a GPU, the
// program just hangs.
#include <cstdio>

__global__ void turns_kernel(volatile int* d_turn) {
    while (*d_turn != static_cast<int>(threadIdx.x) + 1) {}
    *d_turn = static_cast<int>(threadIdx.x) + 2;
}

int main() {
    int* d_turn;
    if (cudaMalloc(&d_turn, sizeof(int)) != cudaSuccess) return 1;
    if (cudaMemset(d_turn, 0, sizeof(int)) != cudaSuccess) return 1;
    turns_kernel<<<1, 4>>>(d_turn);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}
