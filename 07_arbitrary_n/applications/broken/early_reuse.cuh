/// @file
/// @brief Broken on purpose: a copy overwrites a device buffer that a kernel may still have to read.
#pragma once

#include "../streaming/pipeline.cuh"

namespace early_reuse {

/// Feeds one slot, with one stream for its copies and another one for its kernels.
inline void feed(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
    CUDA_CHECK(cudaSetDevice(slot.device));
    const Slot kernels(slot.device, kChunkAlignment);
    for (std::size_t turn = 0;; ++turn) {
        const HostBuffer& host = slot.host[turn % 2];
        CUDA_CHECK(cudaEventSynchronize(host.copied));
        const Chunk chunk = source.next(host.data);
        if (chunk.size == 0) break;
        // FAULT: the copy does not wait for the kernels of the previous chunk
        CUDA_CHECK(
            cudaMemcpyAsync(slot.d_data.data(), chunk.data, chunk.size, cudaMemcpyHostToDevice, slot.stream));
        CUDA_CHECK(cudaEventRecord(host.copied, slot.stream));
        CUDA_CHECK(cudaStreamWaitEvent(kernels.stream, host.copied));
        add_chunk(work, slot.d_data.data(), chunk, d_results, kernels.stream);
    }
    CUDA_CHECK(cudaStreamSynchronize(kernels.stream));
}

}  // namespace early_reuse
