/// @file
/// @brief Chapter 04 at work: the histograms of an image's channels, and equalizing it by them.
///
/// The channels of a pixel lie side by side in memory, a byte each: grey; red, green and blue; or
/// these and alpha. Bin `channel × 256 + value` counts a channel's values.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../kernels.cuh"

/// @brief One thread a pixel at a time, an atomic for each channel.
/// @par Source
/// The three-channel histogram of B, with the clearing and the merging that B leaves out, and for
/// any number of pixels.
template <unsigned int kChannels>
__global__ void pixel_kernel(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[kChannels * kBins];
    zero_counts(counts, kChannels * kBins);

    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        for (unsigned int c = 0; c < kChannels; ++c)
            atomicAdd(&counts[c * kBins + d_pixels[i * kChannels + c]], 1u);

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kChannels * kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// @brief Wide loads, and copies so that each lane of a warp has a bank of its own.
///
/// The counter of a value is word `value × row + channel × copies + lane % copies`, where a row holds
/// all copies of all channels. With 32 copies the bank is the lane's number. With 8 copies of 4
/// channels it is so too, if lanes 0–7, 8–15, 16–23 and 24–31 are at different channels at any time:
/// so each of these groups begins a word with another byte.
///
/// Dynamic shared memory: `kBins × kChannels × kCopies` counters.
template <unsigned int kChannels, unsigned int kCopies>
__global__ void __launch_bounds__(kWideBlock)
    channel_copies_kernel(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins) {
    constexpr unsigned int kRow = kChannels * kCopies;
    constexpr int kLoads = 2;
    extern __shared__ unsigned int counts[];
    zero_counts(counts, kBins * kRow);

    // Lanes of a group begin a word with the same byte. A word of 3 channels has no turns to take.
    const unsigned int group = 4 % kChannels == 0 ? threadIdx.x % warpSize / kCopies : 0;
    unsigned int* const own = &counts[threadIdx.x % kCopies];
    const auto count_byte = [&](std::size_t i) {
        atomicAdd(&own[d_pixels[i] * kRow + i % kChannels * kCopies], 1u);
    };

    const std::size_t bytes = n * kChannels;
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(d_pixels) % sizeof(uint4);
    const std::size_t to_aligned = (sizeof(uint4) - misaligned) % sizeof(uint4);
    const std::size_t head = to_aligned < bytes ? to_aligned : bytes;
    const uint4* const vectors = reinterpret_cast<const uint4*>(d_pixels + head);
    const std::size_t whole = (bytes - head) / sizeof(uint4);
    for (std::size_t i = thread; i < head; i += threads) count_byte(i);
    for (std::size_t k = head + whole * sizeof(uint4) + thread; k < bytes; k += threads) count_byte(k);

    // Every third vector begins with the same channel, if there are 3. A stride of such a multiple
    // takes a thread from vector to vector that begin alike. Two threads may have nothing to do for it.
    constexpr std::size_t kPeriod = 16 % kChannels == 0 ? 1 : kChannels;
    const std::size_t stride = threads < kPeriod ? kPeriod : threads / kPeriod * kPeriod;
    for (std::size_t first = thread; first < stride; first += threads) {
        unsigned int* turn[kChannels];  // counters of the channels, in the order of their bytes
#pragma unroll
        for (unsigned int k = 0; k < kChannels; ++k)
            turn[k] = own + (head + first * sizeof(uint4) + group + k) % kChannels * kCopies;
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
        for (; i + (kLoads - 1) * stride < whole; i += kLoads * stride) {
            uint4 v[kLoads];
#pragma unroll
            for (int k = 0; k < kLoads; ++k) v[k] = __ldcs(&vectors[i + k * stride]);
#pragma unroll
            for (int k = 0; k < kLoads; ++k) count_vector(v[k]);
        }
        for (; i < whole; i += stride) count_vector(__ldcs(&vectors[i]));
    }

    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kChannels * kBins; b += blockDim.x) {
        const unsigned int* const copies = &counts[b % kBins * kRow + b / kBins * kCopies];
        unsigned int sum = 0;
        for (unsigned int k = 0; k < kCopies; ++k) sum += copies[(k + b) % kCopies];
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(sum));
    }
}

/// @brief Replaces each byte by what its channel's table has for it.
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

/// @brief Counts the values of each channel.
/// @param[in]  d_pixels Device memory, `n` pixels at any alignment.
/// @param[out] d_bins   Device memory, channels × 256 counts; what they held does not matter.
/// @throws CudaError, or std::invalid_argument for a shape that can't give the right result.
using ChannelHistogram = void(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins,
                              LaunchShape shape);

/// A @ref ChannelHistogram by `pixel_kernel`, with eight blocks a multiprocessor.
template <unsigned int kChannels>
void histogram_pixels(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins,
                      LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kChannels * kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const unsigned int block = shape.block_or(kBlock);
    const unsigned int grid = shape.grid_or(8 * multiprocessor_count());
    require_32_bit_counters(n, grid, block);
    pixel_kernel<kChannels><<<grid, block>>>(d_pixels, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// A @ref ChannelHistogram by `channel_copies_kernel`, with as many blocks as the device can hold.
template <unsigned int kChannels, unsigned int kCopies>
void histogram_channel_copies(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins,
                              LaunchShape shape) {
    CUDA_CHECK(cudaMemset(d_bins, 0, kChannels * kBins * sizeof(*d_bins)));
    if (n == 0) return;
    const auto kernel = channel_copies_kernel<kChannels, kCopies>;
    const std::size_t shared_bytes = kBins * kChannels * kCopies * sizeof(unsigned int);
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)));
    const unsigned int block = shape.block_or(kWideBlock);
    int resident = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(block),
                                                             shared_bytes));
    const unsigned int most = static_cast<unsigned int>(resident) * multiprocessor_count();
    const unsigned int useful = blocks_for(n, block * 2 * sizeof(uint4) / kChannels + 1);
    const unsigned int grid = shape.grid_or(useful < most ? useful : most);
    require_32_bit_counters(n, grid, block * 3 * sizeof(uint4));
    kernel<<<grid, block, shared_bytes>>>(d_pixels, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
}

/// @brief As many copies as keep all lanes apart, or else as many as a block's shared memory holds.
template <unsigned int kChannels>
void histogram_channels(const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins,
                        LaunchShape shape) {
    constexpr unsigned int kCopies = kChannels == 4 ? 8 : 32;
    if (kBins * kChannels * kCopies * sizeof(unsigned int) <= most_shared_bytes())
        return histogram_channel_copies<kChannels, kCopies>(d_pixels, n, d_bins, shape);
    histogram_channel_copies<kChannels, 8>(d_pixels, n, d_bins, shape);
}

/// A way to count the channels of an image.
struct ChannelVariant {
    const char* name;
    const char* idea;
    ChannelHistogram* run;
};

/// @brief The ways to count an image of so many channels, in the order of the story.
/// @throws std::invalid_argument if there are neither 1, nor 3, nor 4 channels.
inline std::vector<ChannelVariant> channel_variants(unsigned int channels) {
    const char* const simple = "an atomic a channel, in shared memory";
    const char* const fast = "16-byte loads, and a bank for each lane";
    switch (channels) {
        case 1:
            return {{"a pixel a thread", simple, histogram_pixels<1>},
                    {"copies", fast, histogram_channels<1>}};
        case 3:
            return {{"a pixel a thread", simple, histogram_pixels<3>},
                    {"copies", fast, histogram_channels<3>}};
        case 4:
            return {{"a pixel a thread", simple, histogram_pixels<4>},
                    {"copies", fast, histogram_channels<4>}};
        default:
            throw std::invalid_argument("an image has 1, 3 or 4 channels, not " + std::to_string(channels));
    }
}

/// @brief Maps all bytes of an image by its channels' tables, in place.
/// @param[in,out] d_pixels Device memory, `n` pixels.
/// @param[in]     channels 1, 3 or 4.
/// @param[in]     d_tables Device memory, `channels × 256` bytes.
inline void map_channels(unsigned char* d_pixels, std::size_t n, unsigned int channels,
                         const unsigned char* d_tables) {
    if (n == 0) return;
    const unsigned int grid = 8 * multiprocessor_count();
    switch (channels) {
        case 1: map_kernel<1><<<grid, kBlock>>>(d_pixels, n, d_tables); break;
        case 3: map_kernel<3><<<grid, kBlock>>>(d_pixels, n, d_tables); break;
        case 4: map_kernel<4><<<grid, kBlock>>>(d_pixels, n, d_tables); break;
        default:
            throw std::invalid_argument("an image has 1, 3 or 4 channels, not " + std::to_string(channels));
    }
    CUDA_CHECK(cudaGetLastError());
}

/// Whether equalizing leaves a channel as it is: the fourth is alpha, which is no brightness.
inline bool is_alpha(unsigned int channel) { return channel == 3; }

/// @brief The table that spreads a channel's values evenly over 0 to 255.
///
/// A value becomes the share of the values that are not greater, with the smallest value that occurs
/// at 0 and the greatest at 255. A channel of one value stays as it is.
/// @param[in] counts 256 counts.
/// @par Source
/// The rule, and so the tables, are those of OpenCV's `equalizeHist`.
inline std::array<unsigned char, kBins> equalizing_table(const unsigned long long* counts) {
    std::array<unsigned char, kBins> table{};
    unsigned long long total = 0, up_to = 0;
    for (unsigned int v = 0; v < kBins; ++v) total += counts[v];
    unsigned int smallest = 0;
    while (smallest < kBins && counts[smallest] == 0) ++smallest;
    if (smallest == kBins || counts[smallest] == total) {
        for (unsigned int v = 0; v < kBins; ++v) table[v] = static_cast<unsigned char>(v);
        return table;
    }
    const double scale = 255.0 / static_cast<double>(total - counts[smallest]);
    for (unsigned int v = smallest + 1; v < kBins; ++v) {
        up_to += counts[v];
        table[v] = static_cast<unsigned char>(std::lrint(static_cast<double>(up_to) * scale));
    }
    return table;
}

/// @brief The tables that equalize an image; alpha's leaves it as it is.
/// @param[in] bins     `channels × 256` counts.
/// @param[in] together Makes one table of all channels' values, which keeps grey grey. Otherwise each
///                     channel has its own, which takes a colour cast out, and any other mood too.
/// @return `channels × 256` bytes.
inline std::vector<unsigned char> equalizing_tables(const std::vector<unsigned long long>& bins,
                                                    bool together) {
    const auto channels = static_cast<unsigned int>(bins.size() / kBins);
    std::vector<unsigned long long> counts = bins;
    if (together)
        for (unsigned int v = 0; v < kBins; ++v) {
            unsigned long long sum = 0;
            for (unsigned int c = 0; c < channels && !is_alpha(c); ++c) sum += bins[c * kBins + v];
            for (unsigned int c = 0; c < channels; ++c) counts[c * kBins + v] = sum;
        }
    std::vector<unsigned char> tables;
    for (unsigned int c = 0; c < channels; ++c) {
        const auto table = equalizing_table(&counts[c * kBins]);
        for (unsigned int v = 0; v < kBins; ++v)
            tables.push_back(is_alpha(c) ? static_cast<unsigned char>(v) : table[v]);
    }
    return tables;
}
