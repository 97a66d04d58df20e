// A barrier that only some threads of a block reach. Moved out of the branch, it is right.
#include <cstdio>

__global__ void halve_kernel(int* d_sum) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned int width = 32; width > 0; width /= 2) {
        if (threadIdx.x < width) {
            values[threadIdx.x] += values[threadIdx.x + width];
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) *d_sum = values[0];
}

int main() {
    int sum = 0, *d_sum;
    if (cudaMalloc(&d_sum, sizeof(int)) != cudaSuccess) return 1;
    halve_kernel<<<1, 64>>>(d_sum);
    if (cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("the sum of 0 to 63 is %d\n", sum);
    return 0;
}
