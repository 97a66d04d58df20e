/// @file
/// @brief The state of the L2 cache before each sample: `--cache`.
#pragma once

#include <string>

#include "../cuda/device.cuh"
#include "../cuda/device_buffer.cuh"
#include "read_ceiling.cuh"

/// Delays the launches that follow, so that all are enqueued before the first one starts.
__global__ void wait_kernel(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) continue;
}

/// @brief Puts the L2 cache into the state in which each measurement starts.
///
/// In a program with several kernels the cache is rarely empty. Lines that other kernels have only read can
/// be replaced at once; lines that they have written must be written to memory first.
class CacheState {
 public:
    /// @param[in] state "clean": full of other data that were only read; "dirty": of data that were written;
    ///                  "warm": as the previous job left it.
    /// @throws CudaError if the other data, four times the size of the L2 cache, don't fit in memory.
    CacheState(const std::string& state, const Device& device)
        : state_(state),
          other_(state == "warm" ? 0 : 4 * device.l2_bytes),
          reader_(other_.data(), other_.size()) {
        CUDA_CHECK(cudaMemset(other_.data(), 0, other_.bytes()));  // otherwise initcheck reports reads of it
    }

    /// Enqueues the work that sets the state, in the default stream, as the measured jobs do.
    void prepare() const {
        if (state_ == "clean") {
            reader_.read<false>();
        } else if (state_ == "dirty") {
            CUDA_CHECK(cudaMemsetAsync(other_.data(), 0, other_.bytes()));
        } else {
            wait_kernel<<<1, 1>>>(30000);
            CUDA_CHECK(cudaGetLastError());
        }
    }

 private:
    const std::string state_;
    const DeviceBuffer<unsigned char> other_;
    const Reader reader_;
};
