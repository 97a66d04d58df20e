// 06.1: a loop on the host over a copy of the data
// rejected: 'cudaMemcpyDeviceToHost' is not allowed in this exercise
__global__ void fold_kernel(unsigned long long*, std::size_t, std::size_t) {}
inline void sum_global_tree(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                            LaunchShape) {
    std::vector<int> data(n);
    unsigned long long sum = 0;
    CUDA_CHECK(cudaMemcpy(data.data(), d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int value : data) sum += square(value);
    CUDA_CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
}
