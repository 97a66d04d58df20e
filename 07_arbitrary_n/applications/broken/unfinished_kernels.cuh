/// @file
/// @brief Broken on purpose: the results are added up while kernels may still have to add to them.
#pragma once

#include "../streaming/pipeline.cuh"

namespace unfinished_kernels {

inline void feed(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
    CUDA_CHECK(cudaSetDevice(slot.device));
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
    // FAULT: the last copies are done, and not the last kernel
    for (const HostBuffer& host : slot.host) CUDA_CHECK(cudaEventSynchronize(host.copied));
}

}  // namespace unfinished_kernels
