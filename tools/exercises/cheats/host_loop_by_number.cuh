// 06.1: a loop on the host over a copy that is made without the forbidden name, and launches without work
// rejected: Right, but not by kernels
__global__ void fold_kernel(unsigned long long*, std::size_t, std::size_t) {}
inline void sum_global_tree(const int* d_data, std::size_t n, unsigned long long* d_sum,
                            unsigned long long* d_values, LaunchShape shape) {
    const unsigned int block = shape.block_or(kBlock);
    auto to_host = cudaMemcpyDeviceToDevice;
    to_host = static_cast<decltype(to_host)>(2);
    if (n < 1 << 30) {
        std::vector<int> data(n);
        if (n > 0) CUDA_CHECK(cudaMemcpy(data.data(), d_data, n * sizeof(int), to_host));
        unsigned long long sum = 0;
        for (int value : data) sum += square(value);
        for (std::size_t count = 2 * n; count > 1; count -= count / 2) {
            fold_kernel<<<1, block>>>(d_values, 0, 0);
            CUDA_CHECK(cudaGetLastError());
        }
        to_host = static_cast<decltype(to_host)>(1);
        CUDA_CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), to_host));
    }
}
