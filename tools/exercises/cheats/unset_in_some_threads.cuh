// 05.3: only threads with an element have a sum that begins with 0
// rejected: includes a local variable that was used before it had a value
__global__ void blocks_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    unsigned long long sum;
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (thread < n) sum = 0;
    for (std::size_t i = thread; i < n; i += std::size_t{gridDim.x} * blockDim.x) sum += square(d_data[i]);
    d_partials[thread] = sum;
}
