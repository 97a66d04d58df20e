// Adds two vectors: allocate, copy to the device, launch, copy back. Each call's result is checked.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t error = (call);                                               \
        if (error != cudaSuccess) {                                                     \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                               \
        }                                                                               \
    } while (false)

__global__ void add_kernel(const float* d_a, const float* d_b, int n, float* d_sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_sum[i] = d_a[i] + d_b[i];
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    if (n < 1 || n > 10'000'000) {
        std::fprintf(stderr, "the argument must be from 1 to 10000000\n");
        return 2;
    }
    std::vector<float> a(n), b(n), sum(n);
    for (int i = 0; i < n; ++i) {
        a[i] = i;
        b[i] = 2 * i;
    }
    float *d_a, *d_b, *d_sum;
    CHECK(cudaMalloc(&d_a, n * sizeof(float)));
    CHECK(cudaMalloc(&d_b, n * sizeof(float)));
    CHECK(cudaMalloc(&d_sum, n * sizeof(float)));
    CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const int block = 256, grid = (n + block - 1) / block;
    add_kernel<<<grid, block>>>(d_a, d_b, n, d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sum.data(), d_sum, n * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += sum[i] != a[i] + b[i];
    std::printf("%d sums by %d blocks of %d threads, %d of them wrong\n", n, grid, block, wrong);
    for (float* const d : {d_a, d_b, d_sum}) CHECK(cudaFree(d));
    return wrong == 0 ? 0 : 1;
}
