// 02.2: a function of the course, replaced by a variable of an unnamed type
// rejected: write one name after 'struct'
static constexpr struct {
    unsigned int operator()(std::size_t n, unsigned int block) const {
        return n < block ? 1 : ::blocks_for(n, block);
    }
} blocks_for{};
__global__ void one_per_element_kernel(const unsigned char* d_data, std::size_t n,
                                       unsigned long long* d_bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_bins[d_data[i]], 1ull);
}
