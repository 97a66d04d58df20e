/// @file
/// @brief Data that are on the GPUs already: each GPU counts its share, and the results are added up once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../../../common/cuda/device_buffer.cuh"
#include "../../../common/cuda/timer.cuh"
#include "../input/generated.cuh"
#include "../report/times.cuh"
#include "all_reduce.cuh"
#include "pipeline.cuh"
#include "work.cuh"

/// Writes words `first`, `first` + 1, … of the generated data.
__global__ void generate_kernel(std::size_t count, unsigned long long first, unsigned long long* d_words) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        d_words[i] = generated_word(first + i);
}

/// @brief Words in managed memory, which the host writes.
///
/// Each page is where it was last accessed, and moves when a kernel or the host accesses it elsewhere.
class ManagedData {
 public:
    /// @throws CudaError.
    explicit ManagedData(std::size_t bytes) : count_(bytes / 8) {
        CUDA_CHECK(cudaMallocManaged(&words_, bytes));
        write();
    }
    ~ManagedData() { cudaFree(words_); }
    ManagedData(const ManagedData&) = delete;
    ManagedData& operator=(const ManagedData&) = delete;

    /// Writes all words again, after which all pages are on the host.
    void write() { generate(words_, count_); }
    /// The first word.
    const unsigned long long* words() const { return words_; }

 private:
    const std::size_t count_;
    unsigned long long* words_ = nullptr;
};

/// Enqueues a move of managed memory to a device. @throws CudaError.
inline void prefetch(const void* data, std::size_t bytes, int device, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
    CUDA_CHECK(cudaMemPrefetchAsync(data, bytes, {cudaMemLocationTypeDevice, device}, 0, stream));
#else
    CUDA_CHECK(cudaMemPrefetchAsync(data, bytes, device, stream));
#endif
}

/// One GPU's part of the data, and its results.
struct Share {
    /// @brief Generates the share, unless it is managed, and computes its checksum, on the current device.
    /// @param[in] first_byte, size Multiples of 8.
    /// @param[in] managed All data, in managed memory. Null: the share is generated in the device's memory.
    /// @throws CudaError.
    Share(const Work& work, int device_number, std::uint64_t first_byte, std::size_t size,
          const unsigned long long* managed)
        : device(device_number),
          bytes(size),
          d_generated(managed == nullptr ? size / 8 : 0),
          d_data(reinterpret_cast<const unsigned char*>(managed == nullptr ? d_generated.data()
                                                                           : managed + first_byte / 8)),
          d_start(work.results + 1),
          d_results(work.results + 1) {
        try {
            CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            for (cudaEvent_t* const event : {&begun, &counted, &reduced}) CUDA_CHECK(cudaEventCreate(event));
            CUDA_CHECK(cudaMemsetAsync(d_start.data(), 0, d_start.bytes(), stream));
            if (d_generated.size() > 0) {
                const unsigned int grid = fitting_grid(d_generated.size(), {0, kWideBlock}, kLoads);
                generate_kernel<<<grid, kWideBlock, 0, stream>>>(d_generated.size(), first_byte / 8,
                                                                 d_generated.data());
                CUDA_CHECK(cudaGetLastError());
            }
            if (bytes > 0) add_checksum(d_data, bytes, first_byte, d_start.data() + work.results, stream);
            CUDA_CHECK(cudaStreamSynchronize(stream));
        } catch (...) {
            release();
            throw;
        }
    }
    ~Share() { release(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    const int device;
    const std::size_t bytes;
    const DeviceBuffer<unsigned long long> d_generated;
    const unsigned char* const d_data;
    const DeviceBuffer<unsigned long long> d_start;  ///< initial results: zeros, and the checksum
    const DeviceBuffer<unsigned long long> d_results;
    cudaStream_t stream = nullptr;
    cudaEvent_t begun = nullptr, counted = nullptr, reduced = nullptr;

 private:
    void release() {
        if (stream != nullptr) cudaStreamSynchronize(stream);
        for (const cudaEvent_t event : {begun, counted, reduced})
            if (event != nullptr) cudaEventDestroy(event);
        if (stream != nullptr) cudaStreamDestroy(stream);
    }
};

/// Generated data that need no copy, divided among the first GPUs.
class ResidentData {
 public:
    /// @param[in] bytes The size of all data, a multiple of 8. The last shares may be smaller, or empty.
    /// @param[in] place `gpu`, or `managed` or `prefetched` for managed memory.
    /// @throws CudaError, NcclError.
    ResidentData(const Work& work, int gpus, std::uint64_t bytes, const std::string& place = "gpu")
        : work_(work),
          managed_(place == "gpu" ? nullptr : std::make_unique<ManagedData>(bytes)),
          is_prefetched_(place == "prefetched"),
          reduction_(Shape{.gpus = gpus}.devices()) {
        const std::uint64_t parts = static_cast<std::uint64_t>(gpus) * kChunkAlignment;
        const std::uint64_t most = (bytes + parts - 1) / parts * kChunkAlignment;
        for (int device = 0; device < gpus; ++device) {
            const std::uint64_t first = std::min(bytes, most * static_cast<std::uint64_t>(device));
            CUDA_CHECK(cudaSetDevice(device));
            shares_.push_back(std::make_unique<Share>(work, device, first, std::min(most, bytes - first),
                                                      managed_ ? managed_->words() : nullptr));
        }
    }

    /// @brief Counts everything once. @return The times of the parts. @throws CudaError, NcclError.
    ///
    /// Each GPU has a host thread, which launches its kernel. If one thread launched the kernels one after
    /// another, the last GPU would begin late.
    std::vector<Time> run() {
        if (managed_) managed_->write();
        std::atomic<std::size_t> ready = 0;
        std::atomic<bool> start = false;
        std::vector<std::future<void>> launches;
        std::vector<unsigned long long*> d_results;
        std::vector<cudaStream_t> streams;
        try {
            for (const auto& share : shares_) {
                d_results.push_back(share->d_results.data());
                streams.push_back(share->stream);
                launches.push_back(std::async(std::launch::async, [&] {
                    const cudaError_t chosen = cudaSetDevice(share->device);
                    ++ready;
                    while (!start) std::this_thread::yield();
                    CUDA_CHECK(chosen);
                    launch(*share);
                }));
            }
        } catch (...) {
            start = true;  // the waiting threads must be released, or they could not be joined
            throw;
        }
        while (ready < shares_.size()) std::this_thread::yield();
        const WallTimer timer;
        start = true;
        for (std::future<void>& launched : launches) launched.get();
        reduction_.add_up(d_results, work_.results + 1, streams);
        for (const auto& share : shares_) {
            CUDA_CHECK(cudaSetDevice(share->device));
            CUDA_CHECK(cudaEventRecord(share->reduced, share->stream));
        }
        for (const cudaStream_t stream : streams) CUDA_CHECK(cudaStreamSynchronize(stream));
        return times(timer.stop());
    }

    /// @return After `run`, the results, and then the checksum. @throws CudaError.
    std::vector<unsigned long long> total() const { return shares_.front()->d_results.to_host(); }

 private:
    /// Enqueues one GPU's work. The GPU must be the current one.
    void launch(const Share& share) const {
        CUDA_CHECK(cudaEventRecord(share.begun, share.stream));
        CUDA_CHECK(cudaMemcpyAsync(share.d_results.data(), share.d_start.data(), share.d_start.bytes(),
                                   cudaMemcpyDeviceToDevice, share.stream));
        if (is_prefetched_ && share.bytes > 0)
            prefetch(share.d_data, share.bytes, share.device, share.stream);
        if (share.bytes > 0) work_.launch(share.d_data, share.bytes, share.d_results.data(), share.stream);
        CUDA_CHECK(cudaEventRecord(share.counted, share.stream));
    }

    /// The parts' times by the GPUs' events. A GPU that is done early waits for the others in the all-reduce,
    /// so the all-reduce itself takes as long as on the GPU that comes last.
    std::vector<Time> times(double everything) const {
        std::vector<Time> parts{{kEverything, 0, everything}};
        double reducing = everything;
        for (const auto& share : shares_) {
            const auto seconds = [](cudaEvent_t from, cudaEvent_t to) {
                float milliseconds = 0;
                CUDA_CHECK(cudaEventElapsedTime(&milliseconds, from, to));
                return milliseconds * 1e-3;
            };
            parts.push_back({"counting, GPU " + std::to_string(share->device), share->bytes,
                             seconds(share->begun, share->counted)});
            parts.front().bytes += share->bytes;
            reducing = std::min(reducing, seconds(share->counted, share->reduced));
        }
        if (shares_.size() > 1) parts.push_back({"all-reduce", 0, reducing});
        return parts;
    }

    const Work work_;
    const std::unique_ptr<ManagedData> managed_;
    const bool is_prefetched_;
    AllReduce reduction_;
    std::vector<std::unique_ptr<Share>> shares_;
};
