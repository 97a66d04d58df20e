/// @file
/// @brief How fast each part of the pipeline is alone: reading, and copying from pinned memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "../../../common/cuda/timer.cuh"
#include "../streaming/pipeline.cuh"
#include "times.cuh"

/// In place of `feed`: reads all chunks, and does nothing with them.
inline void only_read(Source& source, const Slot& slot, const Work&, unsigned long long*) {
    for (std::size_t turn = 0; source.next(slot.host[turn % 2].data).size > 0; ++turn) {}
}

/// Copies `count` chunks from one pinned buffer, back to back. No other work is in flight. @throws CudaError.
inline void only_copy(const Slot& slot, std::size_t count) {
    CUDA_CHECK(cudaSetDevice(slot.device));
    for (std::size_t k = 0; k < count; ++k)
        CUDA_CHECK(cudaMemcpyAsync(slot.d_data.data(), slot.host[0].data, slot.d_data.bytes(),
                                   cudaMemcpyHostToDevice, slot.stream));
    CUDA_CHECK(cudaStreamSynchronize(slot.stream));
}

/// @brief Times `only_read` with the buffers of a pipeline.
/// @throws what the source throws.
inline Time time_reading(Pipeline& pipeline, Source& source) {
    WallTimer timer;
    pipeline.run(
        source, [] {}, only_read);
    return {"(reading alone)", source.taken(), timer.stop()};
}

/// @brief Times `only_copy` on all GPUs at once, for about `bytes` bytes in all.
/// @throws CudaError.
inline Time time_copying(const Shape& shape, std::uint64_t bytes) {
    const std::size_t gpus = static_cast<std::size_t>(shape.gpus);
    const std::size_t count = std::max<std::size_t>(1, bytes / gpus / shape.chunk_bytes);
    std::vector<std::unique_ptr<Slot>> slots;
    for (const int device : shape.devices()) {
        CUDA_CHECK(cudaSetDevice(device));
        slots.push_back(std::make_unique<Slot>(device, shape.chunk_bytes));
    }
    WallTimer timer;
    std::vector<std::future<void>> copies;
    copies.reserve(gpus);
    for (const auto& slot : slots)
        copies.push_back(std::async(std::launch::async, only_copy, std::cref(*slot), count));
    for (std::future<void>& copy : copies) copy.get();
    return {"(copying alone)", count * gpus * shape.chunk_bytes, timer.stop()};
}
