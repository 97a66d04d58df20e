// The same loads in two orders. Neighbouring threads load neighbouring elements, or each thread loads 32
// elements in a row. The lens counts the sectors that each request needs: 4, or 32.
#include <cstdio>
#include <vector>

constexpr int kPerThread = 32;

__global__ void strided_kernel(const int* d_data, int* d_sums) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int sum = 0;
    for (int k = 0; k < kPerThread; ++k) sum += d_data[k * threads + thread];
    d_sums[thread] = sum;
}

__global__ void contiguous_kernel(const int* d_data, int* d_sums) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < kPerThread; ++k) sum += d_data[thread * kPerThread + k];
    d_sums[thread] = sum;
}

int main() {
    const int grid = 4, block = 64, threads = grid * block, n = threads * kPerThread;
    std::vector<int> data(n, 1), sums(threads);
    int *d_data, *d_sums;
    if (cudaMalloc(&d_data, n * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMalloc(&d_sums, threads * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    for (const auto kernel : {strided_kernel, contiguous_kernel}) {
        kernel<<<grid, block>>>(d_data, d_sums);
        if (cudaMemcpy(sums.data(), d_sums, threads * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
            return 1;
        int sum = 0;
        for (const int each : sums) sum += each;
        std::printf("sum: %d of %d\n", sum, n);
    }
    return 0;
}
