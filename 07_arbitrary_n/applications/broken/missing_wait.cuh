/// @file
/// @brief Broken on purpose: a host buffer is filled while its copy may not have begun.
#pragma once

#include "../streaming/pipeline.cuh"

namespace missing_wait {

inline void feed(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
    CUDA_CHECK(cudaSetDevice(slot.device));
    for (std::size_t turn = 0;; ++turn) {
        const HostBuffer& host = slot.host[turn % 2];
        const Chunk chunk = source.next(host.data);  // FAULT: no cudaEventSynchronize(host.copied) before
        if (chunk.size == 0) break;
        CUDA_CHECK(
            cudaMemcpyAsync(slot.d_data.data(), chunk.data, chunk.size, cudaMemcpyHostToDevice, slot.stream));
        add_chunk(work, slot.d_data.data(), chunk, d_results, slot.stream);
    }
    CUDA_CHECK(cudaStreamSynchronize(slot.stream));
}

}  // namespace missing_wait
