/// @file
/// @brief Checks of exercise 02.4: what `atomic_add_by_cas` adds and returns, which the histogram does not
/// show.

/// What is added for each element: not 1, and more than 32 bits can hold.
constexpr unsigned long long kStep = (1ull << 32) + 3;

/// Adds `kStep` for each element, and adds up what the additions return, in units of `kStep`.
__global__ void answers_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_sums,
                               unsigned long long* d_answers) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_answers[d_data[i]], atomic_add_by_cas(&d_sums[d_data[i]], kStep) / kStep);
}

/// Stores a bin's count if what its additions returned adds up to 0 + 1 + 2 + ...; otherwise, another number.
__global__ void verdict_kernel(const unsigned long long* d_sums, const unsigned long long* d_answers,
                               unsigned long long* d_bins) {
    const unsigned long long count = d_sums[threadIdx.x] / kStep;
    d_bins[threadIdx.x] = count + d_answers[threadIdx.x] - count * (count - 1) / 2;
}

inline void histogram_of_answers(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                 unsigned long long* d_sums, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_sums, 0, 2 * kBins * sizeof(*d_sums)));
    const unsigned int grid = shape.grid_or(two_blocks_per_sm());
    answers_kernel<<<grid, shape.block_or(kBlock)>>>(d_data, n, d_sums, d_sums + kBins);
    CUDA_CHECK(cudaGetLastError());
    verdict_kernel<<<1, kBins>>>(d_sums, d_sums + kBins, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

inline const Variant<Histogram> kMoreCheck = {
    .name = "",
    .idea =
        "Here, each element adds 2^32 + 3, and a bin shows its count only if its additions have returned "
        "0, 1, 2, ... times 2^32 + 3, each once. atomic_add_by_cas must add all 64 bits of `value`, and "
        "return the value before the addition.",
    .run = histogram_of_answers,
    .workspace = [](std::size_t, LaunchShape) { return std::size_t{2 * kBins}; }};
