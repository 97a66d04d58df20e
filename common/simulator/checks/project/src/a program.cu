#include <cstdio>

#include "saxpy.cuh"

int main() {
    float *x, *y, result;
    cudaMalloc(&x, 1000 * sizeof(float));
    cudaMalloc(&y, 1000 * sizeof(float));
    cudaMemset(x, 0, 1000 * sizeof(float));
    cudaMemset(y, 0, 1000 * sizeof(float));
    if (saxpy(1000, 2, x, y) != cudaSuccess) return 1;
    cudaMemcpy(&result, y + 999, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g\n", result);
}
