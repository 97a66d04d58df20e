// 06.1: a loop on the host over device memory
// rejected: uses byte 0 of a buffer
__global__ void fold_kernel(unsigned long long*, std::size_t, std::size_t) {}
inline void sum_global_tree(const int* d_data, std::size_t n, unsigned long long* d_sum, unsigned long long*,
                            LaunchShape) {
    *d_sum = 0;
    for (std::size_t i = 0; i < n; ++i) *d_sum += square(d_data[i]);
}
