/// @file
/// @brief Device memory that frees itself: chapter 02 does by hand what this does from 03 on.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "error.cuh"

/// An array of `T` in device memory, uninitialized. It can be moved and not copied.
template <typename T>
class DeviceBuffer {
 public:
    DeviceBuffer() = default;

    /// @param[in] count How many elements; 0 allocates nothing.
    /// @throws CudaError if the memory is not to be had.
    explicit DeviceBuffer(std::size_t count) : count_(count) {
        if (count > 0) CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T)));
    }

    ~DeviceBuffer() {
        if (data_ != nullptr) cudaFree(data_);
    }

    /// Takes the memory over; the other one is left empty.
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    /// Swaps the memory with the other one.
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    T* data() const { return data_; }                         ///< in device memory; null if there is none
    std::size_t size() const { return count_; }               ///< elements
    std::size_t bytes() const { return count_ * sizeof(T); }  ///< their size

    /// @return The elements, copied back; waits for all work that was launched before.
    /// @throws CudaError, also for a kernel that has failed in between.
    std::vector<T> to_host() const {
        std::vector<T> result(count_);
        CUDA_CHECK(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return result;
    }

 private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};
