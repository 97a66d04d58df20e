/// @file
/// @brief Broken: a shuffle tree that starts at 8 and so adds up only half of the warp.
#pragma once

#include "../kernels.cuh"

namespace half_a_warp {

__global__ void kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long sums[kMostThreads / 32];
    const unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    unsigned long long value = own_square(d_data, n);
    for (int delta = 8; delta > 0; delta /= 2)  // the fault: the upper 16 lanes are never read
        value += __shfl_down_sync(0xffffffffu, value, delta);
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    if (warp != 0) return;
    const unsigned long long sum = warp_sum(lane < blockDim.x / warpSize ? sums[lane] : 0);
    if (lane == 0) d_partials[blockIdx.x] = sum;
}

}  // namespace half_a_warp
