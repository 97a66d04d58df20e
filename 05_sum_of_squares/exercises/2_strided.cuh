/// @file
/// @brief Checks of exercise 05.2: a block of another size than the chapter's.
inline void sum_by_other_block(const int* d_data, std::size_t n, unsigned long long* d_sum,
                               unsigned long long* d_partials, LaunchShape shape) {
    const unsigned int block = shape.block_or(kThreads);
    strided_kernel<<<1, block>>>(d_data, n, d_partials);
    CUDA_CHECK(cudaGetLastError());
    add_partials_on_cpu(d_partials, block, d_sum);
}

inline const Variant<SumOfSquares> kMoreCheck = {
    .name = "",
    .idea = "The result is right for 512 threads, and wrong for this number: use blockDim.x.",
    .run = sum_by_other_block,
    .workspace = [](std::size_t, LaunchShape shape) { return std::size_t{shape.block_or(kThreads)}; },
    .grid_follows_n = true};
