/// @file
/// @brief Broken: the total, by one block with a thread per partial sum. A block has at most 1,024 threads.
/// @par Source
/// E (Hobbit 2015): `total_add<<<1, BlockPerGrid>>>`.
#pragma once

#include "../kernels.cuh"

namespace one_block_total {

__global__ void total_kernel(const unsigned long long* d_partials, unsigned long long* d_sum) {
    const unsigned long long sum = block_sum(d_partials[threadIdx.x]);
    if (threadIdx.x == 0) *d_sum = sum;
}

inline void sum(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long* d_partials,
                LaunchShape shape) {
    if (n == 0) return clear_sum(d_sum);
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int grid = blocks_for(n, block);
    partial_add_kernel<<<grid, block>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    total_kernel<<<1, grid>>>(d_partials, d_sum);  // the fault: grid may exceed 1,024
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace one_block_total
