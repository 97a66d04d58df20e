/// @file
/// @brief The pipeline: chunks are read, copied and counted at the same time, on one or several GPUs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "../../../common/cuda/device_buffer.cuh"
#include "../input/source.hpp"
#include "all_reduce.cuh"
#include "work.cuh"

/// Pinned host memory, which a copy needs to be asynchronous, and an event of the current device.
struct HostBuffer {
    /// @brief Allocates the memory, and creates the event.
    /// @param[in] wait How threads wait for the event: `cudaEventBlockingSync` or `cudaEventDefault`.
    /// @throws CudaError.
    HostBuffer(std::size_t bytes, unsigned int wait) : HostBuffer() {
        // The other constructor has completed, so an exception here calls the destructor.
        CUDA_CHECK(cudaMallocHost(&data, bytes));
        CUDA_CHECK(cudaEventCreateWithFlags(&copied, wait | cudaEventDisableTiming));
    }
    ~HostBuffer() {
        if (copied != nullptr) cudaEventDestroy(copied);
        if (data != nullptr) cudaFreeHost(data);
    }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;

    unsigned char* data = nullptr;
    cudaEvent_t copied = nullptr;  ///< recorded after each copy: the buffer may be filled again

 private:
    HostBuffer() = default;
};

/// A thread's buffers and its stream: while one host buffer is copied, the other one is filled.
struct Slot {
    /// @brief Allocates the buffers, and creates the stream, for the current device.
    /// @param[in] wait As for `HostBuffer`.
    /// @throws CudaError.
    Slot(int device_number, std::size_t chunk_bytes, unsigned int wait = cudaEventBlockingSync)
        : device(device_number),
          d_data(chunk_bytes),
          host{HostBuffer(chunk_bytes, wait), HostBuffer(chunk_bytes, wait)} {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    ~Slot() {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    const int device;
    const DeviceBuffer<unsigned char> d_data;
    const HostBuffer host[2];
    cudaStream_t stream = nullptr;
};

/// @brief Takes chunk after chunk through one slot. Each slot has a thread of the host that calls this.
///
/// A host buffer is filled again once its copy is done, which an event signals. The device buffer needs no
/// event: the next copy is in the same stream as the kernels that read it.
/// @param[in,out] d_results The results of all slots of this device, and the checksum.
/// @throws CudaError, and what the source throws.
inline void feed(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
    CUDA_CHECK(cudaSetDevice(slot.device));  // a new thread uses device 0
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

/// The pipeline's size.
struct Shape {
    int gpus = 1;
    std::size_t slots = 4;  ///< how many per GPU
    std::size_t chunk_bytes = kChunkAlignment;
    int first_gpu = 0;  ///< other processes use the GPUs before it

    /// The GPUs' numbers.
    std::vector<int> devices() const {
        std::vector<int> numbers(static_cast<std::size_t>(gpus));
        std::iota(numbers.begin(), numbers.end(), first_gpu);
        return numbers;
    }
};

/// Slots on some GPUs, and private results on each of them.
class Pipeline {
 public:
    /// @brief Allocates everything.
    /// @throws CudaError, NcclError.
    Pipeline(const Work& work, const Shape& shape) : work_(work), reduction_(shape.devices()) {
        // A thread that spins continues sooner, but if others need its core to read, it should sleep.
        const bool sleep = shape.devices().size() * shape.slots > std::thread::hardware_concurrency();
        const unsigned int wait = sleep ? cudaEventBlockingSync : cudaEventDefault;
        for (const int device : shape.devices()) {
            CUDA_CHECK(cudaSetDevice(device));
            gpus_.push_back(Gpu{DeviceBuffer<unsigned long long>(work.results + 1), {}});
            for (std::size_t k = 0; k < shape.slots; ++k)
                gpus_.back().slots.push_back(std::make_unique<Slot>(device, shape.chunk_bytes, wait));
        }
        set_results({});
        total();  // NCCL connects the GPUs at the first sum
    }

    /// @brief Gives every GPU's results their initial values.
    /// @param[in] values The first GPU's values; missing ones and other GPUs' values are 0.
    /// @throws CudaError.
    void set_results(std::vector<unsigned long long> values) {
        for (const Gpu& gpu : gpus_) {
            CUDA_CHECK(cudaSetDevice(gpu.slots.front()->device));
            values.resize(gpu.d_results.size());
            CUDA_CHECK(cudaMemcpy(gpu.d_results.data(), values.data(), gpu.d_results.bytes(),
                                  cudaMemcpyHostToDevice));
            // The driver may still be copying from its own buffer of pageable data, and no slot's stream
            // waits for this copy.
            CUDA_CHECK(cudaDeviceSynchronize());
            values.clear();
        }
    }

    /// @brief Takes all chunks of a source, and adds them to the results.
    /// @param[in] watch Called ten times per second meanwhile. It may stop the source.
    /// @param[in] take  The function of a slot's thread.
    /// @throws CudaError, and what the source throws. There is no result then.
    template <typename Watch, typename Take = decltype(feed)*>
    void run(Source& source, const Watch& watch, const Take& take = feed) {
        std::vector<std::future<void>> threads;
        for (const Gpu& gpu : gpus_)
            for (const auto& slot : gpu.slots)
                threads.push_back(std::async(std::launch::async, [&, this] {
                    try {
                        take(source, *slot, work_, gpu.d_results.data());
                    } catch (...) {
                        source.stop();
                        throw;
                    }
                }));
        for (const std::future<void>& thread : threads)
            while (thread.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) watch();
        for (std::future<void>& thread : threads) thread.get();
    }

    /// @brief Adds up the results of all GPUs. The sums replace the results, so call this once per run.
    /// @return The results, and then the checksum.
    /// @throws CudaError, NcclError.
    std::vector<unsigned long long> total() {
        std::vector<unsigned long long*> d_results;
        std::vector<cudaStream_t> streams;
        for (const Gpu& gpu : gpus_) {
            d_results.push_back(gpu.d_results.data());
            streams.push_back(gpu.slots.front()->stream);
        }
        reduction_.add_up(d_results, work_.results + 1, streams);
        for (const cudaStream_t stream : streams) CUDA_CHECK(cudaStreamSynchronize(stream));
        return gpus_.front().d_results.to_host();
    }

 private:
    struct Gpu {
        DeviceBuffer<unsigned long long> d_results;
        std::vector<std::unique_ptr<Slot>> slots;
    };

    const Work work_;
    AllReduce reduction_;
    std::vector<Gpu> gpus_;
};
