/// @file
/// @brief Chapter 02: a first CUDA program. 1,000 threads add 1 to 1,000 numbers, one each.
#include <cstdio>

__global__ void increment_kernel(int* d_numbers, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) d_numbers[i] += 1;
}

int main() {
    constexpr std::size_t n = 1000;
    int numbers[n] = {};  // all are 0

    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, sizeof(numbers));
    cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);

    increment_kernel<<<4, 256>>>(d_numbers, n);  // 4 blocks of 256 threads

    cudaMemcpy(numbers, d_numbers, sizeof(numbers), cudaMemcpyDeviceToHost);
    cudaFree(d_numbers);

    const cudaError_t error = cudaGetLastError();  // the error of any of the calls above
    std::printf("%s: the first number is %d, the last one %d\n", cudaGetErrorString(error), numbers[0],
                numbers[n - 1]);
    return error == cudaSuccess ? 0 : 1;
}
