/// @file
/// @brief The part of the data that a rank counts, and the GPUs that it uses.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../input/source.hpp"
#include "../options.hpp"
#include "ranks.hpp"

/// The id of the first GPU that this process sees; zeros if there is none.
inline GpuId first_gpu_id() {
    cudaDeviceProp properties{};
    GpuId id{};
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess)
        std::copy_n(properties.uuid.bytes, id.size(), id.begin());
    return id;
}

/// The first of a rank's GPUs. If there are too few for the ranks that see the same ones, ranks share them.
/// @param[in] gpus  How many each rank uses.
/// @param[in] ranks This rank's place among those that see the same GPUs.
inline int choose_first_gpu(int gpus, const Part& ranks) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) return 0;
    return ranks.number % std::max(1, count / gpus) * gpus;
}

/// @brief Makes sure that all ranks see the same file. If each has its own, makes the checksum that of all
///        files in the ranks' order, each padded with zeros to a multiple of 8 bytes.
/// @throws std::runtime_error, Ranks::OtherFailed.
inline void place_among_ranks(Source& source, const StreamOptions& options, const Ranks& ranks) {
    const std::vector<std::uint64_t> sizes = ranks.exchange(source.bytes().value_or(0));
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (!options.own_files && sizes[k] != sizes[0])
            throw std::runtime_error(options.path + ": rank 0 sees " + std::to_string(sizes[0]) +
                                     " bytes, and rank " + std::to_string(k) + " sees " +
                                     std::to_string(sizes[k]) + ": all ranks must see the same file");
        if (k < static_cast<std::size_t>(ranks.launch().rank)) before += (sizes[k] + 7) / 8 * 8;
    }
    if (options.own_files) source.set_place(before);
}
