// 02.3: an endless compilation
// rejected: It does not compile
template <unsigned long long low, unsigned long long high>
__device__ constexpr unsigned long long sum() {
    if constexpr (high - low < 2)
        return low;
    else
        return sum<low, (low + high) / 2>() + sum<(low + high) / 2, high>();
}
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    if (n > 0) d_bins[0] = sum<0, (1ull << 40)>();
}
