/// @file
/// @brief What the L2 cache holds before each sample: `--cache`.
#pragma once

#include <string>

#include "../cuda/device.cuh"
#include "../cuda/device_buffer.cuh"
#include "read_ceiling.cuh"

/// Waits, so that the launches after it are ready before the first one begins.
__global__ void wait_kernel(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) continue;
}

/// @brief Brings the L2 cache into the state that a measurement begins with.
///
/// A kernel that comes after others seldom finds the cache empty. What others have read can be overwritten;
/// what they have written must go to memory first.
class CacheState {
 public:
    /// @param[in] state "clean": other data that were only read; "dirty": other data that were written;
    ///                  "warm": what the job before left there.
    /// @throws CudaError if there is no memory of four times the L2 cache for these other data.
    CacheState(const std::string& state, const Device& device)
        : state_(state),
          other_(state == "warm" ? 0 : 4 * device.l2_bytes),
          reader_(other_.data(), other_.size()) {}

    /// Enqueues what makes the state, in the stream of what is to be measured.
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
