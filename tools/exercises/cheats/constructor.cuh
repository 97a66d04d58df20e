// 02.3: code that runs before the checks, by an attribute
// rejected: this attribute is not allowed in an exercise
[[gnu::constructor]] __device__ void before() { printf("right\n"); }
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[d_data[i]], 1ull);
}
