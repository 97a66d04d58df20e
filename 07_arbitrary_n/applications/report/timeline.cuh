/// @file
/// @brief When each chunk was read, copied and counted.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../../common/bench/csv.cuh"
#include "../../../common/cuda/device.cuh"
#include "../streaming/pipeline.cuh"

/// When a chunk passed through its slot, in seconds on the host's clock.
struct ChunkTimes {
    int gpu;
    std::size_t slot;  ///< the slot's number on this GPU
    std::uint64_t first;
    std::size_t bytes;
    double read_from, read_to, copy_from, copy_to, count_from, count_to;
};

/// @brief Takes the place of `feed`, and records the times of each chunk.
///
/// A stream reaches an event before a copy or a kernel as soon as its earlier work is done. The copy or the
/// kernel may still have to wait for those of other slots, and this wait is part of its time.
class Timeline {
 public:
    /// @brief Relates each GPU's clock to the host's, by an event that the idle GPU reaches immediately.
    ///
    /// The host's clock is read before and after the event. Of several attempts, the shortest counts.
    /// @param[in] gpus The number of GPUs, which must be idle.
    /// @throws CudaError.
    explicit Timeline(int gpus) {
        for (int device = 0; device < gpus; ++device) {
            CUDA_CHECK(cudaSetDevice(device));
            Reference best{nullptr, 0, std::numeric_limits<double>::infinity()};
            for (int attempt = 0; attempt < 16; ++attempt) {
                Event event = new_event();
                const double before = now();
                CUDA_CHECK(cudaEventRecord(event.get()));
                CUDA_CHECK(cudaEventSynchronize(event.get()));
                const double after = now();
                if (after - before < best.error) best = {std::move(event), after, after - before};
            }
            clock_error_ = std::max(clock_error_, best.error);
            references_.push_back(std::move(best));
        }
    }

    /// @return By how many seconds the times of copies and kernels may be too late compared with those of
    /// reading.
    double clock_error() const { return clock_error_; }

    /// Does the same as `feed`, with events around each step. @throws CudaError, and what the source throws.
    void operator()(Source& source, const Slot& slot, const Work& work, unsigned long long* d_results) {
        CUDA_CHECK(cudaSetDevice(slot.device));
        const std::size_t number = number_of_slot(slot.device);
        std::vector<Recorded> recorded;
        for (std::size_t turn = 0;; ++turn) {
            const HostBuffer& host = slot.host[turn % 2];
            CUDA_CHECK(cudaEventSynchronize(host.copied));
            const double read_from = now();
            const Chunk chunk = source.next(host.data);
            if (chunk.size == 0) break;
            const Recorded& at = recorded.emplace_back(chunk.first, chunk.size, read_from, now());
            CUDA_CHECK(cudaEventRecord(at.begun.get(), slot.stream));
            CUDA_CHECK(cudaMemcpyAsync(slot.d_data.data(), chunk.data, chunk.size, cudaMemcpyHostToDevice,
                                       slot.stream));
            CUDA_CHECK(cudaEventRecord(at.copied.get(), slot.stream));
            CUDA_CHECK(cudaEventRecord(host.copied, slot.stream));
            add_chunk(work, slot.d_data.data(), chunk, d_results, slot.stream);
            CUDA_CHECK(cudaEventRecord(at.counted.get(), slot.stream));
        }
        CUDA_CHECK(cudaStreamSynchronize(slot.stream));
        const std::lock_guard lock(lock_);
        for (const Recorded& at : recorded) {
            const double copied = seconds(slot.device, at.copied);
            chunks_.push_back({slot.device, number, at.first, at.bytes, at.read_from, at.read_to,
                               seconds(slot.device, at.begun), copied, copied,
                               seconds(slot.device, at.counted)});
        }
    }

    /// After the run, all chunks in the data's order.
    std::vector<ChunkTimes> chunks() const {
        std::vector<ChunkTimes> sorted = chunks_;
        std::sort(sorted.begin(), sorted.end(),
                  [](const ChunkTimes& a, const ChunkTimes& b) { return a.first < b.first; });
        return sorted;
    }

    /// @return The chunks as CSV, in seconds since the first one's reading began.
    std::string csv(const Device& device) const {
        using csv_detail::quoted;
        const Provenance& from = provenance();
        const std::string origin = "," + quoted(device.name) + (device.simulated ? ",true," : ",false,") +
                                   quoted(from.driver) + "," + quoted(from.cuda_runtime) + "," +
                                   std::to_string(from.host_cpus) + "," + quoted(from.commit) + "," +
                                   quoted(from.date) + "\n";
        std::string text =
            "gpu,slot,first,bytes,read_from,read_to,copy_from,copy_to,count_from,count_to,device,simulated,"
            "driver,cuda_runtime,host_cpus,commit,date\n";
        double start = now();
        for (const ChunkTimes& chunk : chunks_) start = std::min(start, chunk.read_from);
        for (const ChunkTimes& chunk : chunks()) {
            text += std::to_string(chunk.gpu) + "," + std::to_string(chunk.slot) + "," +
                    std::to_string(chunk.first) + "," + std::to_string(chunk.bytes);
            for (const double at : {chunk.read_from, chunk.read_to, chunk.copy_from, chunk.copy_to,
                                    chunk.count_from, chunk.count_to})
                text += "," + std::to_string(at - start);
            text += origin;
        }
        return text;
    }

 private:
    struct Destroy {
        void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    };
    using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy>;

    static Event new_event() {
        cudaEvent_t event = nullptr;
        CUDA_CHECK(cudaEventCreate(&event));
        return Event(event);
    }

    struct Recorded {
        Recorded(std::uint64_t first_byte, std::size_t size, double from, double to)
            : first(first_byte), bytes(size), read_from(from), read_to(to) {}
        std::uint64_t first;
        std::size_t bytes;
        double read_from, read_to;
        Event begun = new_event(), copied = new_event(), counted = new_event();
    };

    struct Reference {
        Event event;
        double seconds;  ///< on the host's clock, just after the event
        double error;    ///< in seconds
    };

    static double now() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    std::size_t number_of_slot(int gpu) {
        const std::lock_guard lock(lock_);
        return slots_[gpu]++;
    }

    double seconds(int gpu, const Event& event) const {
        const Reference& reference = references_[static_cast<std::size_t>(gpu)];
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, reference.event.get(), event.get()));
        return reference.seconds + milliseconds * 1e-3;
    }

    std::vector<Reference> references_;
    double clock_error_ = 0;
    std::mutex lock_;
    std::map<int, std::size_t> slots_;  ///< how many slots of each GPU have begun
    std::vector<ChunkTimes> chunks_;
};
