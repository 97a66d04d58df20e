// 03.2: other checks next to the file
// rejected: is not allowed in an exercise
#include "../common/checks/check_variant.cuh"
__global__ void any_block_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {}
