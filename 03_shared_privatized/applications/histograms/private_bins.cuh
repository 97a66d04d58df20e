/// @file
/// @brief What the kernels of both applications share: reading pairs, private bins, and merging.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "../../../common/cuda/device.cuh"
#include "../../../common/cuda/error.cuh"
#include "../../../common/cuda/launch_shape.hpp"

/// Where the threads of a block count.
enum class Counting {
    global,  ///< in the result, which all blocks share
    shared,  ///< in the block's shared memory
    copies   ///< in shared memory, in several copies, so that neighbouring threads rarely add to one counter
};

/// The place's name in a table.
inline const char* name_of(Counting counting) {
    return counting == Counting::global   ? "global memory"
           : counting == Counting::shared ? "shared memory"
                                          : "shared, copies";
}

constexpr unsigned int kPairBlock = 1024;  ///< threads per block, unless the caller says otherwise

/// @brief Calls `work(a[i], b[i])` for each i below n; neighbouring threads get neighbouring elements.
///
/// Each thread issues several loads of both arrays before it uses the first result. Each load is one
/// element, so the arrays need no more than their types' alignment.
template <typename A, typename B, typename Work>
__device__ void for_each_pair(const A* d_a, const B* d_b, std::size_t n, const Work& work) {
    constexpr int kLoads = 4;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (; i + (kLoads - 1) * threads < n; i += kLoads * threads) {
        A a[kLoads];
        B b[kLoads];
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            a[k] = __ldcs(&d_a[i + k * threads]);
            b[k] = __ldcs(&d_b[i + k * threads]);
        }
#pragma unroll
        for (int k = 0; k < kLoads; ++k) work(a[k], b[k]);
    }
    for (; i < n; i += threads) work(__ldcs(&d_a[i]), __ldcs(&d_b[i]));
}

/// @brief Adds the block's counters to the result, one atomic per bin.
/// @param[in] counts `bins * copies` counters in shared memory, with the copies of a bin side by side.
template <typename Counter, typename Result>
__device__ void merge_counts(const Counter* counts, unsigned int bins, unsigned int copies, Result* d_bins) {
    for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x) {
        Counter sum = 0;
        for (unsigned int c = 0; c < copies; ++c) sum += counts[b * copies + c];
        if (sum != 0) atomicAdd(&d_bins[b], static_cast<Result>(sum));
    }
}

/// @return How many copies of `bytes` bytes of counters a block can have if an SM is to hold as many blocks
///         as its threads allow: at most 32, one per lane; at least 1, even if the SM then holds fewer
///         blocks; 0 if not even one copy fits into a block's shared memory.
inline unsigned int copies_that_fit(std::size_t bytes, unsigned int block) {
    const std::size_t most = most_shared_bytes();
    if (bytes > most) return 0;
    const std::size_t blocks_per_sm =
        std::max<std::size_t>(1, device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / block);
    const std::size_t share = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / blocks_per_sm -
                              device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    return static_cast<unsigned int>(std::clamp<std::size_t>(std::min(share, most) / bytes, 1, 32));
}

/// The launch of a kernel with private counters.
struct PrivateLaunch {
    unsigned int grid, block, copies;
    std::size_t shared_bytes;
};

/// @brief Decides how a kernel is launched and requests its shared memory.
/// @param[in] kernel The kernel that will be launched.
/// @param[in] bytes  The size of the counters of one copy.
/// @throws std::invalid_argument if the counters should be in shared memory but do not fit; CudaError.
template <typename Kernel>
PrivateLaunch private_launch(Kernel kernel, Counting counting, std::size_t n, std::size_t bytes,
                             LaunchShape shape) {
    PrivateLaunch launch{1, shape.block_or(kPairBlock), 0, 0};
    if (counting != Counting::global) {
        launch.copies = copies_that_fit(bytes, launch.block);
        if (launch.copies == 0)
            throw std::invalid_argument(std::to_string(bytes) + " bytes of counters do not fit into " +
                                        name_of(counting));
        if (counting == Counting::shared) launch.copies = 1;
        launch.shared_bytes = launch.copies * bytes;
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(launch.shared_bytes)));
    }
    int blocks_per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks_per_sm, kernel, static_cast<int>(launch.block), launch.shared_bytes));
    const std::size_t resident =
        std::size_t{static_cast<unsigned int>(blocks_per_sm)} * multiprocessor_count();
    const std::size_t useful = std::max<std::size_t>(1, n / launch.block);
    launch.grid = shape.grid_or(static_cast<unsigned int>(std::min(resident, useful)));
    return launch;
}
