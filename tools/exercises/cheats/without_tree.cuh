// 06.1: the exercise's functions without a body
// rejected: No result was stored.
__global__ void fold_kernel(unsigned long long*, std::size_t, std::size_t) {}
inline void sum_global_tree(const int*, std::size_t, unsigned long long*, unsigned long long*, LaunchShape) {}
