/// @file
/// @brief Two stopwatches: the CPU's clock for the CPU's work, CUDA events for the device's.
#pragma once

#include <chrono>

#include "error.cuh"

/// Measures what the CPU does.
class WallTimer {
 public:
    /// Begins to measure.
    void start() { start_ = std::chrono::steady_clock::now(); }
    /// @return Seconds since `start`.
    double stop() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

 private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Measures what the device does between two events in the same stream. Launches return at once,
/// so the CPU's clock would measure the launching.
/// @par Source
/// D, "Optimizing histogram CUDA code", which times the copies as well.
class EventTimer {
 public:
    EventTimer() {
        CUDA_CHECK(cudaEventCreate(&start_));
        CUDA_CHECK(cudaEventCreate(&stop_));
    }
    ~EventTimer() {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }
    EventTimer(const EventTimer&) = delete;
    EventTimer& operator=(const EventTimer&) = delete;

    /// Puts the first event into the stream. @throws CudaError.
    void start() { CUDA_CHECK(cudaEventRecord(start_)); }

    /// @return Seconds between the two events, once the device has reached the second one.
    /// @throws CudaError, also for a kernel that has failed in between.
    double stop() {
        CUDA_CHECK(cudaEventRecord(stop_));
        CUDA_CHECK(cudaEventSynchronize(stop_));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
        return milliseconds * 1e-3;
    }

 private:
    cudaEvent_t start_, stop_;
};
