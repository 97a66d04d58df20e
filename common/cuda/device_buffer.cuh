/// @file
/// @brief Device memory that is freed automatically. Chapter 02 still allocates and frees by hand.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "error.cuh"

/// An array of `T` in device memory, uninitialized. Movable, not copyable.
template <typename T>
class DeviceBuffer {
 public:
    DeviceBuffer() = default;

    /// @param[in] count Number of elements; 0 allocates nothing.
    /// @throws CudaError if the allocation fails.
    explicit DeviceBuffer(std::size_t count) : count_(count) {
        if (count > 0) CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T)));
    }

    ~DeviceBuffer() {
        if (data_ != nullptr) cudaFree(data_);
    }

    /// Takes ownership of the memory and leaves `other` empty.
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    /// Swaps the memory.
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    T* data() const { return data_; }                         ///< in device memory; null if empty
    std::size_t size() const { return count_; }               ///< number of elements
    std::size_t bytes() const { return count_ * sizeof(T); }  ///< size of the elements

    /// @return A copy of the elements in host memory. Waits for earlier work, except in non-blocking streams.
    /// @throws CudaError, including that of a kernel that was launched before and has failed.
    std::vector<T> to_host() const {
        std::vector<T> result(count_);
        CUDA_CHECK(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return result;
    }

 private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};
