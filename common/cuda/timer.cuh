/// @file
/// @brief Two timers: the CPU's clock for work on the CPU, CUDA events for work on the device.
#pragma once

#include <chrono>

#include "error.cuh"

/// Times work on the CPU.
class WallTimer {
 public:
    /// Starts the timer.
    void start() { start_ = std::chrono::steady_clock::now(); }
    /// @return Seconds since `start`.
    double stop() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

 private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Times the work on the device between two events in the default stream. A launch returns before its kernel
/// runs, so the CPU's clock would measure only the launch.
/// @par Source
/// D, "Optimizing histogram CUDA code", whose time includes the copies.
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

    /// Records the first event. @throws CudaError.
    void start() { CUDA_CHECK(cudaEventRecord(start_)); }

    /// @return Seconds between the two events, once the device has reached the second one.
    /// @throws CudaError, including the error of a kernel that has failed since.
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
