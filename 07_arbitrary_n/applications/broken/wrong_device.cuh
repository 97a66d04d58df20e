/// @file
/// @brief Broken on purpose: a thread works with a device that it has not chosen.
#pragma once

#include "../streaming/pipeline.cuh"

namespace wrong_device {

inline void feed(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
    // FAULT: no cudaSetDevice(slot.device) before, so this thread uses device 0
    for (std::size_t turn = 0;; ++turn) {
        const HostBuffer& host = slot.host[turn % 2];
        CUDA_CHECK(cudaEventSynchronize(host.copied));
        const Chunk chunk = source.next(host.data);
        if (chunk.size == 0) break;
        CUDA_CHECK(
            cudaMemcpyAsync(slot.d_data.data(), chunk.data, chunk.size, cudaMemcpyHostToDevice, slot.stream));
        CUDA_CHECK(cudaEventRecord(host.copied, slot.stream));
        add_chunk(work, slot.d_data.data(), chunk, d_results, slot.stream);
    }
    CUDA_CHECK(cudaStreamSynchronize(slot.stream));
}

}  // namespace wrong_device
