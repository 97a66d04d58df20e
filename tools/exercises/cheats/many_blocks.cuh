// 03.1: the number of a block in 16 bits, which no case of a million elements shows
// rejected: All cases with fewer blocks are right
__global__ void article_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    counts[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    const unsigned short block = blockIdx.x;
    for (std::size_t i = std::size_t{block} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);
    __syncthreads();
    atomicAdd(&d_bins[threadIdx.x], static_cast<unsigned long long>(counts[threadIdx.x]));
}
