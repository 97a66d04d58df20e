// 04.1: the number of a block in 16 bits, which no case of a million elements shows
// rejected: All cases with fewer blocks are right
__global__ void strided_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    clear_counts(counts, kBins);
    __syncthreads();
    const unsigned short block = blockIdx.x;
    const std::size_t first = std::size_t{block} * blockDim.x * kCoarsening + threadIdx.x;
    for (unsigned int k = 0; k < kCoarsening; ++k)
        if (first + k * blockDim.x < n) atomicAdd(&counts[d_data[first + k * blockDim.x]], 1u);
    __syncthreads();
    merge_counts(counts, d_bins);
}
