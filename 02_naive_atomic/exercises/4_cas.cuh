/// @file
/// @brief Checks of exercise 02.4: what `atomic_add_by_cas` returns, which the histogram does not use.

/// Counts each element, and stores in each bin one more than the highest count that an addition has replaced.
__global__ void answers_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_counts,
                               unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicMax(&d_bins[d_data[i]], atomic_add_by_cas(&d_counts[d_data[i]], 1ull) + 1);
}

inline void histogram_of_answers(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                 unsigned long long* d_counts, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
    CUDA_CHECK(cudaMemset(d_counts, 0, kBins * sizeof(*d_counts)));
    if (n == 0) return;
    answers_kernel<<<shape.grid_or(two_blocks_a_multiprocessor()), shape.block_or(kBlock)>>>(
        d_data, n, d_counts, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

inline const Variant<Histogram> kMoreCheck = {
    .name = "",
    .idea =
        "These counts are one more than what the last addition to each bin returned. "
        "atomic_add_by_cas must return the value before the addition.",
    .run = histogram_of_answers,
    .workspace = [](std::size_t, LaunchShape) { return std::size_t{kBins}; }};
