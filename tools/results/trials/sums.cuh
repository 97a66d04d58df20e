/// @file
/// @brief Trials of chapters 05 to 07: loads, trees, and the end of a sum.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../../../common/cuda/device_buffer.cuh"
#include "../../../common/cuda/load.cuh"
#include "../../../common/problem/sum_of_squares.cuh"
#include "trials.cuh"

/// @name Chapter 05: strides
/// @{

/// @brief The index of the int that a lane loads in a pass, for chapter 05's *stride 16* and *stride 32*, and
/// for two mixtures of both.
/// @tparam kLines  The 128-byte lines that a warp's load touches: 16, as with a stride of 16, or 32.
/// @tparam kPasses The passes over the data: 16, each of which reads one int of every 64 bytes, or 32, each
///                 of which reads one int of every 128 bytes.
template <unsigned int kLines, unsigned int kPasses>
__device__ std::size_t strided_index(std::size_t warp, unsigned int lane, unsigned int pass) {
    if constexpr (kPasses == 16) {
        if constexpr (kLines == 16) return warp * 512 + lane * 16 + pass;
        // Two warps share 32 lines: one loads from their first halves, the other from their second halves.
        return warp / 2 * 1024 + lane * 32 + warp % 2 * 16 + pass;
    }
    if constexpr (kLines == 32) return warp * 1024 + lane * 32 + pass;
    // Two lanes share every second line; the first 16 passes skip the lines in between.
    return warp * 1024 + lane / 2 * 64 + pass / 16 * 32 + lane % 2 * 16 + pass % 16;
}

/// Each thread adds up the squares of its strided ints, with one load in flight.
template <unsigned int kLines, unsigned int kPasses>
__global__ void strides_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t warps = std::size_t{gridDim.x} * blockDim.x / 32;
    unsigned long long sum = 0;
#pragma unroll 1
    for (unsigned int pass = 0; pass < kPasses; ++pass)
#pragma unroll 1
        for (std::size_t warp = thread / 32; warp * 32 * kPasses < n; warp += warps) {
            const std::size_t i = strided_index<kLines, kPasses>(warp, threadIdx.x % 32, pass);
            if (i < n) sum += square(d_data[i]);
        }
    d_partials[thread] = sum;
}

/// @}

/// @name Chapter 06: the trees
/// @{

__device__ unsigned long long own_square(const int* d_data, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    return i < n ? square(d_data[i]) : 0;
}

/// Chapter 06's *adjacent pairs*, with the remainder operator or with a bit mask instead.
template <bool kMask>
__global__ void pairs_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kBlock];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        const bool adds = kMask ? (threadIdx.x & (2 * step - 1)) == 0 : threadIdx.x % (2 * step) == 0;
        if (adds) values[threadIdx.x] += values[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

/// Chapter 06's *pairs, packed*.
__global__ void packed_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kBlock];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        const unsigned int left = 2 * step * threadIdx.x;
        if (left < blockDim.x) values[left] += values[left + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

/// @brief Loads like the trees, one or two elements per thread, but has no tree of additions.
/// @param[in] never A number that no sum equals. If it were a constant, the compiler could remove the loads.
template <unsigned int kElements>
__global__ void no_tree_kernel(const int* d_data, std::size_t n, unsigned long long never,
                               unsigned long long* d_never) {
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x * kElements + threadIdx.x;
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned int k = 0; k < kElements; ++k, i += blockDim.x)
        if (i < n) sum += square(d_data[i]);
    if (sum == never) *d_never = sum;
}

__global__ void empty_kernel() {}

/// Only the first thread of a block adds, to a number that the previous launch has stored.
__global__ void one_addition_kernel(unsigned long long* d_sums, unsigned int half) {
    if (threadIdx.x == 0) d_sums[blockIdx.x] += d_sums[blockIdx.x + half];
}

/// @}

/// @name Chapter 07: the end of a sum, and tiles
/// @{

/// How much of chapter 07's *last block* a kernel does after each block's sum.
enum class End { store, fence, ticket, all, atomic };

__device__ unsigned long long block_sum(unsigned long long value) {
    __shared__ unsigned long long values[kBlock];
    values[threadIdx.x] = value;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    return values[0];
}

/// @brief Each block stores its sum, executes a fence and takes a ticket; the last block adds up the sums.
/// `kEnd` says how much of this is done.
/// @tparam kOneFence In the last block, only thread 0 executes a fence, before the barrier.
template <End kEnd, bool kOneFence = false>
__global__ void end_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials,
                           unsigned int* d_done, unsigned long long* d_sum) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long own = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        own += square(d_data[i]);
    const unsigned long long sum = block_sum(own);
    if (kEnd == End::atomic) {
        if (threadIdx.x == 0) atomicAdd(d_sum, sum);
        return;
    }
    __shared__ bool last;
    if (threadIdx.x == 0) {
        d_partials[blockIdx.x] = sum;
        if (kEnd != End::store) __threadfence();
        last = kEnd >= End::ticket && atomicInc(d_done, gridDim.x - 1) == gridDim.x - 1;
        if (kOneFence) __threadfence();
    }
    if (kEnd < End::ticket) return;
    __syncthreads();
    if (kEnd == End::ticket || !last) return;
    if (!kOneFence) __threadfence();
    own = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) own += __ldcg(&d_partials[b]);
    const unsigned long long total = block_sum(own);
    if (threadIdx.x == 0) *d_sum = total;
}

/// Four loads of 16 bytes in flight per thread: a block's width apart, as in a tile, or a grid's width apart.
template <bool kTiles>
__global__ void tiles_kernel(const int4* d_data, std::size_t count, unsigned long long* d_sum) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t apart = kTiles ? blockDim.x : threads;
    const std::size_t own = kTiles ? std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x
                                   : std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned long long sum = 0;
    for (std::size_t i = own; i < count; i += 4 * threads) {
        int4 v[4];
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k)
            v[k] = i + k * apart < count ? load<true>(&d_data[i + k * apart]) : int4{};
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k) sum += square(v[k]);
    }
    for (unsigned int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
    if (threadIdx.x % 32 == 0) atomicAdd(d_sum, sum);
}

/// @}

/// The total of the first `count` partial sums.
inline Results total(const DeviceBuffer<unsigned long long>& d_partials, std::size_t count) {
    std::vector<unsigned long long> partials(count);
    CUDA_CHECK(
        cudaMemcpy(partials.data(), d_partials.data(), count * sizeof(partials[0]), cudaMemcpyDeviceToHost));
    Results sum{0};
    for (const unsigned long long partial : partials) sum[0] += partial;
    return sum;
}

/// @param[in] expected The sum of all squares.
inline void try_strides(const DeviceBuffer<int>& d_data, const Results& expected, const Device& device) {
    const unsigned int grid = 8 * multiprocessor_count();
    const DeviceBuffer<unsigned long long> d_partials(std::size_t{grid} * kBlock);
    const auto strides = [&](const char* name, auto kernel) {
        return Trial{name,
                     [=, &d_data, &d_partials] {
                         kernel<<<grid, kBlock>>>(d_data.data(), d_data.size(), d_partials.data());
                     },
                     [] {}, [&d_partials] { return total(d_partials, d_partials.size()); }};
    };
    std::size_t usual = 0;
    CUDA_CHECK(cudaDeviceGetLimit(&usual, cudaLimitMaxL2FetchGranularity));
    for (const std::size_t bytes : {usual, std::size_t{32}, std::size_t{128}}) {
        CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes));
        print_trials("05, " + std::to_string(d_data.size()) + " ints: L2 fetches " + std::to_string(bytes) +
                         " bytes" + (bytes == usual ? ", as usual" : ""),
                     {strides("stride 16: 16 lines per load, 16 passes", strides_kernel<16, 16>),
                      strides("32 lines per load, 16 passes", strides_kernel<32, 16>),
                      strides("16 lines per load, 32 passes", strides_kernel<16, 32>),
                      strides("stride 32: 32 lines per load, 32 passes", strides_kernel<32, 32>)},
                     expected, device);
    }
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, usual));
}

inline void try_sums(const Device& device) {
    const std::size_t small = std::size_t{1} << 20, medium = std::size_t{1} << 28;
    const std::vector<int> data = generate_data(medium);
    const DeviceBuffer<int> d_data(medium);
    CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
    const DeviceBuffer<unsigned long long> d_partials(medium / kBlock), d_sum(1);
    const DeviceBuffer<unsigned int> d_done(1);
    CUDA_CHECK(cudaMemset(d_done.data(), 0, d_done.bytes()));
    try_strides(d_data, on_all_cores<SumOfSquares>(data.data(), medium), device);

    const auto clear = [&] { CUDA_CHECK(cudaMemset(d_sum.data(), 0, d_sum.bytes())); };
    const auto sum = [&] { return d_sum.to_host(); };

    for (const std::size_t n : {small, medium}) {
        const Results expected = on_all_cores<SumOfSquares>(data.data(), n);
        const unsigned int grid = blocks_for(n, kBlock);
        const auto tree = [&](const char* name, auto kernel) {
            return Trial{
                name,
                [=, &d_data, &d_partials] { kernel<<<grid, kBlock>>>(d_data.data(), n, d_partials.data()); },
                [] {}, [=, &d_partials] { return total(d_partials, grid); }};
        };
        const auto loads = [&](const char* name, auto kernel, unsigned int blocks, unsigned int block) {
            return Trial{name, [=, &d_data, &d_partials] {
                             kernel<<<blocks, block>>>(d_data.data(), n, ~0ull, d_partials.data());
                         }};
        };
        const auto nothing = [&](const char* name, unsigned int blocks, unsigned int block) {
            return Trial{name, [=] { empty_kernel<<<blocks, block>>>(); }};
        };
        print_trials(
            "06, " + std::to_string(n) + " ints: pairs without the remainder, and loads without a tree",
            {tree("adjacent pairs", pairs_kernel<false>),
             tree("adjacent pairs, a mask for the remainder", pairs_kernel<true>),
             tree("pairs, packed", packed_kernel), loads("no tree", no_tree_kernel<1>, grid, kBlock),
             loads("no tree, two elements per thread", no_tree_kernel<2>, grid / 2, kBlock),
             loads("no tree, blocks of 1,024 threads", no_tree_kernel<1>, grid / 4, 4 * kBlock),
             nothing("as many blocks that do nothing", grid, kBlock),
             nothing("half as many", grid / 2, kBlock),
             nothing("a quarter, of 1,024 threads", grid / 4, 4 * kBlock)},
            expected, device);
    }

    const auto launches = [=] {
        empty_kernel<<<blocks_for(small, kBlock), kBlock>>>();
        for (std::size_t count = small; count > 1; count = count - count / 2)
            empty_kernel<<<blocks_for(count - count / 2, kBlock), kBlock>>>();
    };
    const auto additions = [=, &d_partials] {
        empty_kernel<<<blocks_for(small, kBlock), kBlock>>>();
        for (std::size_t count = small; count > 1; count = count - count / 2) {
            const unsigned int blocks = blocks_for(count - count / 2, kBlock);
            one_addition_kernel<<<blocks, kBlock>>>(d_partials.data(), blocks);
        }
    };
    print_trials(
        "06, tree in global memory, 1048576 ints: the launches alone",
        {{"21 launches of an empty kernel", launches}, {"20 of them with an addition per block", additions}},
        {}, device);

    const unsigned int fitting = 8 * multiprocessor_count();
    const auto end = [&](const char* name, auto kernel, bool has_sum = true) {
        Trial trial{name,
                    [=, &d_data, &d_partials, &d_done, &d_sum] {
                        kernel<<<fitting, kBlock>>>(d_data.data(), small, d_partials.data(), d_done.data(),
                                                    d_sum.data());
                    },
                    clear};
        if (has_sum) trial.results = sum;
        return trial;
    };
    print_trials("07, last block, 1048576 ints: what its end takes",
                 {end("each block stores its sum", end_kernel<End::store>, false),
                  end("and executes a fence", end_kernel<End::fence>, false),
                  end("and draws a ticket", end_kernel<End::ticket>, false),
                  end("and the last block adds up", end_kernel<End::all>),
                  end("the same, one fence in the last block", end_kernel<End::all, true>),
                  end("instead, an atomic addition per block", end_kernel<End::atomic>)},
                 on_all_cores<SumOfSquares>(data.data(), small), device);

    const auto wide = [&](const char* name, auto kernel) {
        return Trial{name,
                     [=, &d_data, &d_sum] {
                         kernel<<<fitting, kBlock>>>(reinterpret_cast<const int4*>(d_data.data()), medium / 4,
                                                     d_sum.data());
                     },
                     clear, sum};
    };
    print_trials("07, 16-byte loads, 268435456 ints: where the four loads of a thread are",
                 {wide("in a tile, a block's width apart", tiles_kernel<true>),
                  wide("a grid's width apart", tiles_kernel<false>)},
                 on_all_cores<SumOfSquares>(data.data(), medium), device);
}
