/// @file
/// @brief Checks of exercise 02.2: counts that need more than 32 bits, from a short input.

__global__ void add_one_kernel(unsigned long long* d_bins) { ++d_bins[threadIdx.x]; }

/// Starts all bins at -1 and adds 1 to each at the end: a bin's first addition carries through all 64 bits.
inline void histogram_from_minus_one(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                                     unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0xff, kBins * sizeof(*d_bins)));
    const unsigned int block = shape.block_or(kBlock);
    if (n > 0) one_per_element_kernel<<<blocks_for(n, block), block>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
    add_one_kernel<<<1, kBins>>>(d_bins);
    CUDA_CHECK(cudaGetLastError());
}

inline const Variant<Histogram> kMoreCheck = {
    .name = "",
    .idea = "A bin begins at -1, so its first addition carries into all 64 bits. Do the bins have 64 bits?",
    .run = histogram_from_minus_one,
    .grid_follows_n = true};
