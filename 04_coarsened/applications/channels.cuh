/// @file
/// @brief Chapter 04 at work: kernels that count the channels of an image and map them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../kernels.cuh"
#include "channels.hpp"

using namespace coarsened;

/// @brief Each thread counts one pixel at a time, with one atomic per channel.
/// @par Source
/// B's three-channel histogram, with the steps that B omits, clearing and merging, and for any number of
/// pixels.
template <unsigned int kChannels>
__global__ void pixel_kernel(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kChannels * kBins];
    clear_counts(counts, kChannels * kBins);
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        for (unsigned int c = 0; c < kChannels; ++c)
            atomicAdd(&counts[c * kBins + d_pixels[i * kChannels + c]], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kChannels * kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// @brief Wide loads, and copies that give each lane of a warp its own bank.
///
/// The counter of a value is word `value × row + channel × copies + lane % copies`, where a row contains
/// all copies of all channels. With 32 copies, the bank is the lane's number. With 8 copies of 4
/// channels, each lane also has its own bank if lanes 0–7, 8–15, 16–23 and 24–31 are at different
/// channels at any time. Each of these groups therefore begins a word with a different byte.
///
/// Dynamic shared memory: `kBins × kChannels × kCopies` counters.
template <unsigned int kChannels, unsigned int kCopies>
__global__ void __launch_bounds__(kWideBlock)
    channel_copies_kernel(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins) {
    constexpr unsigned int kRow = kChannels * kCopies;
    constexpr unsigned int kInFlight = 2;
    extern __shared__ unsigned int counts[];
    clear_counts(counts, kBins * kRow);
    __syncthreads();

    // The lanes of a group begin a word with the same byte. With 3 channels there is only one group.
    const unsigned int group = 4 % kChannels == 0 ? threadIdx.x % warpSize / kCopies : 0;
    unsigned int* const own = &counts[threadIdx.x % kCopies];
    const auto count_byte = [&](std::size_t i) {
        atomicAdd(&own[d_pixels[i] * kRow + i % kChannels * kCopies], 1u);
    };

    const std::size_t bytes = n * kChannels;
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const Vectors vectors = vectors_of(d_pixels, bytes);
    for (std::size_t i = thread; i < vectors.before; i += threads) count_byte(i);
    for (std::size_t i = vectors.after + thread; i < bytes; i += threads) count_byte(i);

    // With 3 channels, every third vector begins with the same channel. If the stride is a multiple of
    // 3, all vectors of a thread begin with the same channel. Up to two threads are idle.
    constexpr std::size_t kPeriod = 16 % kChannels == 0 ? 1 : kChannels;
    const std::size_t stride = threads < kPeriod ? kPeriod : threads / kPeriod * kPeriod;
    for (std::size_t first = thread; first < stride; first += threads) {
        unsigned int* turn[kChannels];  // counters of the channels, in the order of their bytes
#pragma unroll
        for (unsigned int k = 0; k < kChannels; ++k)
            turn[k] = own + (vectors.before + first * sizeof(uint4) + group + k) % kChannels * kCopies;
        const auto count_vector = [&](const uint4& v) {
            const unsigned int words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (unsigned int w = 0; w < 4; ++w) {
                const unsigned int word = __funnelshift_r(words[w], words[w], 8 * group);
#pragma unroll
                for (unsigned int k = 0; k < 4; ++k)
                    atomicAdd(&turn[(4 * w + k) % kChannels][(word >> 8 * k & 0xff) * kRow], 1u);
            }
        };
        std::size_t i = first;
        for (; i + (kInFlight - 1) * stride < vectors.count; i += kInFlight * stride) {
            uint4 v[kInFlight];
#pragma unroll
            for (unsigned int k = 0; k < kInFlight; ++k) v[k] = __ldcs(&vectors.data[i + k * stride]);
#pragma unroll
            for (unsigned int k = 0; k < kInFlight; ++k) count_vector(v[k]);
        }
        for (; i < vectors.count; i += stride) count_vector(__ldcs(&vectors.data[i]));
    }

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kChannels * kBins; b += blockDim.x) {
        const unsigned int* const copies = &counts[b % kBins * kRow + b / kBins * kCopies];
        unsigned int sum = 0;
        for (unsigned int k = 0; k < kCopies; ++k) sum += copies[(k + b) % kCopies];
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum));
    }
}

/// @brief Replaces each byte by its entry in the table of its channel.
/// @param[in,out] d_pixels `n` pixels.
/// @param[in]     d_tables `kChannels × 256` bytes.
template <unsigned int kChannels>
__global__ void map_kernel(unsigned char* d_pixels, std::size_t n, const unsigned char* d_tables) {
    __shared__ unsigned char tables[kChannels * kBins];
    for (unsigned int k = threadIdx.x; k < kChannels * kBins; k += blockDim.x) tables[k] = d_tables[k];
    __syncthreads();

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        for (unsigned int c = 0; c < kChannels; ++c) {
            unsigned char& byte = d_pixels[i * kChannels + c];
            byte = tables[c * kBins + byte];
        }
}

/// A `Variant::Run` that launches `pixel_kernel`, by default with eight blocks per SM.
template <unsigned int kChannels>
void histogram_pixels(const Pixel<kChannels>* d_pixels, std::size_t n, unsigned long long* d_bins,
                      unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kChannels * kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int grid = shape.grid_or(8 * multiprocessor_count());
    require_32_bit_counters(n, grid, block);
    pixel_kernel<kChannels><<<grid, block>>>(d_pixels->channel, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// A `Variant::Run` that launches `channel_copies_kernel`, by default with at most as many blocks as fit.
template <unsigned int kChannels, unsigned int kCopies>
void histogram_channel_copies(const Pixel<kChannels>* d_pixels, std::size_t n, unsigned long long* d_bins,
                              unsigned long long*, LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kChannels * kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const auto kernel = channel_copies_kernel<kChannels, kCopies>;
    const std::size_t shared_bytes = kBins * kChannels * kCopies * sizeof(unsigned int);
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)));
    const unsigned int block = shape.block_or(kWideBlock);
    int blocks_per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, kernel, static_cast<int>(block),
                                                             shared_bytes));
    const unsigned int most = static_cast<unsigned int>(blocks_per_sm) * multiprocessor_count();
    const unsigned int useful = blocks_for(n, block * 2 * sizeof(uint4) / kChannels + 1);
    // If not even one block fits, launching one reports that.
    const unsigned int grid = shape.grid_or(std::clamp(most, 1u, useful));
    require_32_bit_counters(n, grid, block * 3 * sizeof(uint4));
    kernel<<<grid, block, shared_bytes>>>(d_pixels->channel, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @brief Uses enough copies to avoid all bank conflicts, or 8 if those do not fit into shared memory.
template <unsigned int kChannels>
void histogram_channels(const Pixel<kChannels>* d_pixels, std::size_t n, unsigned long long* d_bins,
                        unsigned long long* d_workspace, LaunchShape shape) {
    constexpr unsigned int kCopies = kChannels == 4 ? 8 : 32;
    if (kBins * kChannels * kCopies * sizeof(unsigned int) <= most_shared_bytes())
        histogram_channel_copies<kChannels, kCopies>(d_pixels, n, d_bins, d_workspace, shape);
    else
        histogram_channel_copies<kChannels, 8>(d_pixels, n, d_bins, d_workspace, shape);
}

/// The variants for images with `kChannels` channels, in the order of the chapter.
template <unsigned int kChannels>
const std::vector<Variant<Channels<kChannels>>> kChannelVariants = {
    {.name = "a pixel per thread",
     .idea = "one atomic per channel, in shared memory",
     .run = histogram_pixels<kChannels>},
    {.name = "copies",
     .idea = "16-byte loads, and a bank for each lane",
     .run = histogram_channels<kChannels>},
};

/// @brief Maps all bytes of an image by the tables of its channels, in place.
/// @param[in,out] d_pixels Device memory, `n` pixels.
/// @param[in]     d_tables Device memory, `kChannels × 256` bytes.
template <unsigned int kChannels>
void map_channels(Pixel<kChannels>* d_pixels, std::size_t n, const unsigned char* d_tables) {
    if (n == 0) return;
    map_kernel<kChannels><<<8 * multiprocessor_count(), kBlock>>>(d_pixels->channel, n, d_tables);
    CUDA_CHECK(cudaGetLastError());
}
