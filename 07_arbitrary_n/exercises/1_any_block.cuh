/// @file
/// @brief Checks of exercise 07.1: the sum that `block_sum` returns to threads other than the first.

__global__ void last_thread_kernel(const int* d_data, std::size_t n, unsigned long long* d_sum) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned long long sum = block_sum(i < n ? square(d_data[i]) : 0);
    if (threadIdx.x == blockDim.x - 1) atomicAdd(d_sum, sum);
}

inline void sum_by_last_threads(const int* d_data, std::size_t n, unsigned long long* d_sum,
                                unsigned long long*, LaunchShape shape) {
    clear_sum(d_sum);
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    last_thread_kernel<<<blocks_for(n, block), block>>>(d_data, n, d_sum);
    CUDA_CHECK(cudaGetLastError());
}

inline const Variant<SumOfSquares> kMoreCheck = {
    .name = "",
    .idea = "Here the last thread of each block uses the sum: block_sum must return it to every thread.",
    .run = sum_by_last_threads,
    .grid_follows_n = true};
