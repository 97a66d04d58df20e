/// @file
/// @brief Broken on purpose: the results are added up while kernels may still have to add to them.
#pragma once

#include "../pipeline.cuh"

namespace unfinished_kernels {

inline void feed(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
    CUDA_CHECK(cudaSetDevice(slot.device));
    for (;;) {
        CUDA_CHECK(cudaEventSynchronize(slot.copied));
        const Chunk chunk = source.next(slot.host);
        if (chunk.size == 0) break;
        CUDA_CHECK(
            cudaMemcpyAsync(slot.d_data.data(), chunk.data, chunk.size, cudaMemcpyHostToDevice, slot.stream));
        CUDA_CHECK(cudaEventRecord(slot.copied, slot.stream));
        add_chunk(work, slot.d_data.data(), chunk, d_results, slot.stream);
    }
    CUDA_CHECK(cudaEventSynchronize(slot.copied));  // FAULT: the last copy is done, and not the last kernel
}

}  // namespace unfinished_kernels
