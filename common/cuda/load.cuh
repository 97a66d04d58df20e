/// @file
/// @brief Loads of an input that is read once, and what they leave in the L2 cache.
#pragma once

#include <cstddef>

#include "device.cuh"

/// @brief A load of data that is read once.
/// @tparam kStreaming Whether to use `__ldcs`, whose lines the caches evict first. Otherwise, `__ldcg`
///         is used, which bypasses the SM's L1 cache, and whose lines have normal priority in L2.
template <bool kStreaming, typename T>
__device__ inline T load(const T* d_address) {
    return kStreaming ? __ldcs(d_address) : __ldcg(d_address);
}

/// @brief Whether an input should be read by streaming loads.
///
/// This matters if the L2 cache is full of lines that other kernels have written, which must be written to
/// memory before they can be replaced. Normal loads evict them at the start. Streaming loads probably leave
/// most of them in the cache: a short read then finishes without waiting for the writes, whereas during a
/// long read they are written to memory little by little and slow it down throughout.
inline bool should_stream(std::size_t bytes) {
    return bytes <= 5 * std::size_t{device_attribute(cudaDevAttrL2CacheSize)};
}
