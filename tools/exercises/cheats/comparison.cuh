// 02.2: a host function of the course, hidden by a comparison in template arguments
// rejected: write brackets around a comparison in template arguments
#include <type_traits>
inline std::enable_if_t<1 < 2, unsigned int> blocks_for(std::size_t, unsigned int) { return 1; }
__global__ void one_per_element_kernel(const unsigned char* d_data, std::size_t n,
                                       unsigned long long* d_bins) {
    if (threadIdx.x == 0)
        for (std::size_t i = 0; i < n; ++i) atomicAdd(&d_bins[d_data[i]], 1ull);
}
