// 06.2: a sum that begins with whatever a register holds, which may be 0
// rejected: includes a local variable that was used before it had a value
__device__ inline unsigned long long own_square(const int* d_data, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    return i < n ? square(d_data[i]) : 0;
}
__global__ void halves_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kMostThreads];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    unsigned long long sum;
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sum += values[0];
    if (threadIdx.x == 0) d_partials[blockIdx.x] = sum;
}
