// 03.2: counters that are floats, which a million equal bytes do not show
// rejected: perhaps an index or a count is a float
__global__ void any_block_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ float counts[kBins];
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1.0f);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}
