/// @file
/// @brief The read ceiling: how fast the device can read an input, an upper bound for every variant.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../cuda/device.cuh"
#include "../cuda/device_buffer.cuh"
#include "../cuda/launch_shape.hpp"
#include "../cuda/load.cuh"

/// How many loads of 16 bytes each thread of `read_kernel` has in flight.
constexpr int kReadLoads = 4;
constexpr unsigned int kReadBlock = 512;  ///< threads per block of `read_kernel`

/// @brief Reads `n` bytes and does almost nothing with them.
///
/// No kernel that reads all of its input should be faster. Blocks read tiles: each thread has four loads of
/// 16 bytes in flight, a block's width apart.
template <bool kStreaming>
__global__ void read_kernel(const unsigned char* d_data, std::size_t n, unsigned int* d_never) {
    const uint4* const vectors = reinterpret_cast<const uint4*>(d_data);
    const std::size_t count = n / sizeof(uint4), tile = std::size_t{blockDim.x} * kReadLoads;
    unsigned int all = 0;
    for (std::size_t i = blockIdx.x * tile + threadIdx.x; i < count; i += gridDim.x * tile) {
        uint4 v[kReadLoads];
#pragma unroll
        for (int k = 0; k < kReadLoads; ++k)
            v[k] = i + k * blockDim.x < count ? load<kStreaming>(&vectors[i + k * blockDim.x]) : uint4{};
#pragma unroll
        for (int k = 0; k < kReadLoads; ++k) all ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    const std::size_t rest = count * sizeof(uint4) + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (rest < n) all ^= d_data[rest];
    if (all == 0x9E3779B9u) *d_never = all;  // keeps the compiler from removing the loads
}

/// Reads device memory as fast as the device can.
class Reader {
 public:
    /// @param[in] d_data Aligned to 16 bytes, as memory from `cudaMalloc` is.
    Reader(const unsigned char* d_data, std::size_t n) : d_data_(d_data), n_(n), d_never_(1) {}

    /// Enqueues the read. Loads that don't stream leave as much of the data in the L2 cache as fits.
    template <bool kStreaming>
    void read() const {
        if (n_ == 0) return;
        const unsigned int tiles = blocks_for(n_, kReadBlock * kReadLoads * sizeof(uint4));
        read_kernel<kStreaming>
            <<<std::min(tiles, resident_blocks(kReadBlock)), kReadBlock>>>(d_data_, n_, d_never_.data());
        CUDA_CHECK(cudaGetLastError());
    }

 private:
    const unsigned char* d_data_;
    std::size_t n_;
    DeviceBuffer<unsigned int> d_never_;
};
