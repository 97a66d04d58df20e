/// @file
/// @brief Loads of an input that is read once, and what they leave in the L2 cache.
#pragma once

#include <cstddef>

#include "device.cuh"

/// @brief A load past the SM's own cache.
/// @tparam kStreaming What it brings into the L2 cache is the first to be evicted again. Otherwise it counts
///                    like all else there.
template <bool kStreaming, typename T>
__device__ inline T load(const T* d_address) {
    return kStreaming ? __ldcs(d_address) : __ldcg(d_address);
}

/// @brief Whether an input should be read by streaming loads.
///
/// They make a difference where the L2 cache is full of what other kernels have written, which must go to
/// memory before its place can be used. Streaming loads leave most of it where it is. A short reading is over
/// before it matters; during a long one it trickles to memory and disturbs every read. Other loads push it
/// out at the start.
inline bool should_stream(std::size_t bytes) {
    return bytes <= 5 * std::size_t{device_attribute(cudaDevAttrL2CacheSize)};
}
