/// @file
/// @brief Trials of chapters 02 and 03: additions to bins.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../../../common/cuda/device_buffer.cuh"
#include "../../../common/problem/histogram.hpp"
#include "../../../common/problem/input.hpp"
#include "trials.cuh"

/// @name Chapters 02 and 03: additions to bins
/// @{

/// Chapter 02's *grid-stride*, in which each counter occupies the space of `apart` counters.
template <typename Count>
__global__ void apart_kernel(const unsigned char* d_data, std::size_t n, Count* d_bins, unsigned int apart) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[d_data[i] * apart], Count{1});
}

/// @brief Chapter 03's *any block*, changed: threads merge different bins, or merge into bins that are
/// `apart`.
/// @tparam kScattered Neighbouring threads merge every eighth bin, so the lanes of a warp use different
/// sectors.
template <bool kScattered>
__global__ void merge_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                             unsigned int apart) {
    __shared__ unsigned int counts[kBins];
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);
    __syncthreads();
    for (unsigned int t = threadIdx.x; t < kBins; t += blockDim.x) {
        const unsigned int b = kScattered ? t % 32 * 8 + t / 32 : t;
        atomicAdd(&d_bins[b * apart], static_cast<unsigned long long>(counts[b]));
    }
}

/// @brief Chapter 03's counting of keys into 8 bins, in registers or in shared memory.
/// @tparam kCompared With how many bins each key is compared; 0: atomic additions in shared memory instead.
/// @tparam kLoads    How many loads each thread has in flight.
template <unsigned int kCompared, unsigned int kLoads>
__global__ void eight_bins_kernel(const unsigned int* d_keys, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[8];
    if (threadIdx.x < 8) counts[threadIdx.x] = 0;
    __syncthreads();
    unsigned int own[8] = {};
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 1
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += kLoads * stride) {
        unsigned int keys[kLoads];
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) keys[k] = i + k * stride < n ? d_keys[i + k * stride] : 0;
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) {
            const unsigned int bin = keys[k] >> 29, one = i + k * stride < n;
            if constexpr (kCompared == 0) {
                if (one != 0) atomicAdd(&counts[bin], 1u);
            } else {
#pragma unroll
                for (unsigned int b = 0; b < kCompared; ++b) own[b] += bin == b ? one : 0;
            }
        }
    }
    if constexpr (kCompared != 0) {
#pragma unroll
        for (unsigned int b = 0; b < kCompared; ++b) atomicAdd(&counts[b], own[b]);
    }
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&d_bins[threadIdx.x], static_cast<unsigned long long>(counts[threadIdx.x]));
}

/// Which warps add to counters while half of the warps of every second SM load bytes.
enum class Beside { nobody, other_sms, same_sms };

/// @brief Half of the warps of every second SM load the bytes, piece by piece, and other warps add until all
/// pieces are loaded.
/// @param[in,out] d_pieces Two numbers: how many pieces were begun, and how many are loaded.
template <Beside kWho>
__global__ void beside_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                              unsigned int* d_pieces, unsigned int* d_never) {
    constexpr std::size_t kPiece = 32 << 10;
    const unsigned int pieces = static_cast<unsigned int>(n / kPiece), lane = threadIdx.x % 32;
    unsigned int sm = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const bool is_loading_sm = sm % 2 == 0, is_first_half = threadIdx.x < blockDim.x / 2;
    if (is_loading_sm && is_first_half) {
        unsigned int sum = 0;
        for (;;) {
            unsigned int piece = 0;
            if (lane == 0) piece = atomicAdd(&d_pieces[0], 1u);
            piece = __shfl_sync(~0u, piece, 0);
            if (piece >= pieces) break;
            for (std::size_t i = piece * kPiece + lane; i < (piece + 1) * kPiece; i += 32) sum += d_data[i];
            if (sum == ~0u) *d_never = sum;  // keeps the compiler from removing or moving the loads
            if (lane == 0) atomicAdd(&d_pieces[1], 1u);
        }
    } else if (is_first_half ? kWho == Beside::other_sms : kWho == Beside::same_sms && is_loading_sm) {
        unsigned int random = blockIdx.x * blockDim.x + threadIdx.x;
        while (*static_cast<volatile unsigned int*>(&d_pieces[1]) < pieces)
            for (unsigned int k = 0; k < 64; ++k) {
                random = random * 1664525 + 1013904223;
                atomicAdd(&d_bins[random >> 24], 1ull);
            }
    }
}

/// @}

/// Counters of one type. Only every `apart`-th counter is used.
template <typename Count>
struct SpacedBins {
    explicit SpacedBins(unsigned int apart_) : apart(apart_), d_bins(std::size_t{kBins} * apart_) {}
    void clear() const { CUDA_CHECK(cudaMemset(d_bins.data(), 0, d_bins.bytes())); }
    Results counts() const {
        const std::vector<Count> all = d_bins.to_host();
        Results used;
        for (std::size_t b = 0; b < kBins; ++b) used.push_back(all[b * apart]);
        return used;
    }
    unsigned int apart;
    DeviceBuffer<Count> d_bins;
};

/// Additions to counters that are some bytes apart, by a kernel with the parameters of `apart_kernel`.
template <typename Count>
Trial bins_trial(const std::string& name,
                 void (*kernel)(const unsigned char*, std::size_t, Count*, unsigned int), unsigned int grid,
                 unsigned int bytes_apart, const DeviceBuffer<unsigned char>& d_data) {
    const auto bins =
        std::make_shared<SpacedBins<Count>>(bytes_apart / static_cast<unsigned int>(sizeof(Count)));
    return {name,
            [=, &d_data] {
                kernel<<<grid, kBlock>>>(d_data.data(), d_data.size(), bins->d_bins.data(), bins->apart);
            },
            [=] { bins->clear(); }, [=] { return bins->counts(); }};
}

inline void try_bins(const Device& device) {
    const std::vector<unsigned char> data = big_random_block(std::size_t{100} << 20, 1);
    const DeviceBuffer<unsigned char> d_data(data.size());
    CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), data.size(), cudaMemcpyHostToDevice));
    const Results expected = reference_histogram(data.data(), data.size());

    std::vector<Trial> trials;
    const unsigned int grid = 2 * multiprocessor_count();
    for (const unsigned int bytes : {8u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u})
        trials.push_back(bins_trial<unsigned long long>(
            "64-bit counters, " + std::to_string(bytes) + " bytes apart", apart_kernel, grid, bytes, d_data));
    for (const unsigned int bytes : {4u, 8u})
        trials.push_back(bins_trial<unsigned int>(
            "32-bit counters, " + std::to_string(bytes) + " bytes apart", apart_kernel, grid, bytes, d_data));
    print_trials("02, grid-stride, 100 MiB of uniform bytes: counters further apart", trials, expected,
                 device);

    trials.clear();
    const unsigned int each = blocks_for(data.size(), kBlock);
    trials.push_back(bins_trial<unsigned long long>("neighbours merge neighbouring bins", merge_kernel<false>,
                                                    each, 8, d_data));
    trials.push_back(bins_trial<unsigned long long>("neighbours merge every eighth bin", merge_kernel<true>,
                                                    each, 8, d_data));
    trials.push_back(bins_trial<unsigned long long>("neighbouring bins are 128 bytes apart",
                                                    merge_kernel<false>, each, 128, d_data));
    print_trials("03, any block, 100 MiB of uniform bytes, 409600 blocks: other merges", trials, expected,
                 device);

    Results eight(8);
    for (std::size_t i = 3; i < data.size(); i += 4) ++eight[data[i] >> 5];
    const DeviceBuffer<unsigned long long> d_eight(8);
    const auto keys = [&](const char* name, auto kernel, bool is_complete = true) {
        Trial trial{name,
                    [=, &d_data, &d_eight] {
                        kernel<<<8 * multiprocessor_count(), kBlock>>>(
                            reinterpret_cast<const unsigned int*>(d_data.data()), d_data.size() / 4,
                            d_eight.data());
                    },
                    [&d_eight] { CUDA_CHECK(cudaMemset(d_eight.data(), 0, d_eight.bytes())); }};
        if (is_complete) trial.results = [&d_eight] { return Results(d_eight.to_host()); };
        return trial;
    };
    print_trials("03, 26214400 keys of 32 bits, 8 bins: comparisons and loads",
                 {keys("shared memory", eight_bins_kernel<0, 1>),
                  keys("registers, compared with 8 bins", eight_bins_kernel<8, 1>),
                  keys("registers, compared with 1 bin", eight_bins_kernel<1, 1>, false),
                  keys("shared memory, 4 loads in flight", eight_bins_kernel<0, 4>),
                  keys("registers, 8 bins, 4 loads in flight", eight_bins_kernel<8, 4>),
                  keys("registers, 1 bin, 4 loads in flight", eight_bins_kernel<1, 4>, false)},
                 eight, device);

    const SpacedBins<unsigned long long> bins(1);
    const DeviceBuffer<unsigned int> d_pieces(2), d_never(1);
    const auto beside = [&](const char* name, auto kernel) {
        return Trial{name,
                     [=, &d_data, &bins, &d_pieces, &d_never] {
                         kernel<<<8 * multiprocessor_count(), kBlock>>>(d_data.data(), d_data.size(),
                                                                        bins.d_bins.data(), d_pieces.data(),
                                                                        d_never.data());
                     },
                     [&d_pieces] { CUDA_CHECK(cudaMemset(d_pieces.data(), 0, d_pieces.bytes())); }};
    };
    print_trials(
        "02, 100 MiB loaded by half of the warps of every second SM, beside additions to 256 counters",
        {beside("nobody adds", beside_kernel<Beside::nobody>),
         beside("as many warps of the other SMs add", beside_kernel<Beside::other_sms>),
         beside("the other warps of the same SMs add", beside_kernel<Beside::same_sms>)},
        {}, device);
}
