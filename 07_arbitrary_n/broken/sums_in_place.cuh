/// @file
/// @brief Broken: blocks reduce an array in place. One block stores its sum where another still has to read.
/// @par Source
/// E (Hobbit 2015) passes one array as input and output of `partial_add`, and says that this is possible.
#pragma once

#include "../kernels.cuh"

namespace sums_in_place {

__global__ void square_kernel(const int* d_data, std::size_t n, unsigned long long* d_values) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) d_values[i] = square(d_data[i]);
}

inline void sum(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long* d_values,
                LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int grid = blocks_for(n, block);
    square_kernel<<<grid, block>>>(d_data, n, d_values);
    CUDA_CHECK(cudaGetLastError());
    reduce_again_kernel<<<grid, block>>>(d_values, n, d_values);  // the fault: one array as input and output
    CUDA_CHECK(cudaGetLastError());
    total_add_kernel<<<1, kMostThreads>>>(d_values, grid, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace sums_in_place
