/// @file
/// @brief Broken on purpose: a thread works with a device that it has not chosen.
#pragma once

#include "../pipeline.cuh"

namespace wrong_device {

inline void feed(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
    for (;;) {  // FAULT: no cudaSetDevice(slot.device) before, so this thread uses device 0
        CUDA_CHECK(cudaEventSynchronize(slot.copied));
        const Chunk chunk = source.next(slot.host);
        if (chunk.size == 0) break;
        CUDA_CHECK(
            cudaMemcpyAsync(slot.d_data.data(), chunk.data, chunk.size, cudaMemcpyHostToDevice, slot.stream));
        CUDA_CHECK(cudaEventRecord(slot.copied, slot.stream));
        add_chunk(work, slot.d_data.data(), chunk, d_results, slot.stream);
    }
    CUDA_CHECK(cudaStreamSynchronize(slot.stream));
}

}  // namespace wrong_device
