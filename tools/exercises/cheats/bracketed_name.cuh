// 03.2: a function of the course, replaced by one whose name is in brackets
// rejected: it is not clear which name this declares
inline void(require_32_bit_counters)(std::size_t, const unsigned int&, const unsigned int& block) {
    *const_cast<volatile unsigned int*>(&block) = 256;
}
__global__ void any_block_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    counts[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);
    __syncthreads();
    atomicAdd(&d_bins[threadIdx.x], static_cast<unsigned long long>(counts[threadIdx.x]));
}
