/// @file
/// @brief Host memory that the device can access directly.
#pragma once

#include <cstddef>
#include <vector>

#include "error.cuh"

/// @brief Pins an array during the lifetime of this object: the system neither moves nor swaps out its pages.
///
/// The device reads pinned memory directly. Pageable memory is first copied, piece by piece, to the driver's
/// pinned buffer. `cudaMallocHost` allocates memory that is pinned from the start.
class Pinned {
 public:
    /// @param[in] array Must not be moved or resized. @throws CudaError.
    template <typename T>
    explicit Pinned(const std::vector<T>& array)
        : first_(const_cast<T*>(array.data())), bytes_(array.size() * sizeof(T)) {
        pin();
    }
    ~Pinned() {
        if (pinned_) cudaHostUnregister(first_);
    }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    /// Pins the array again after `release`. @throws CudaError.
    void pin() {
        if (pinned_ || bytes_ == 0) return;
        CUDA_CHECK(cudaHostRegister(first_, bytes_, cudaHostRegisterDefault));
        pinned_ = true;
    }
    /// Makes the array pageable again. @throws CudaError.
    void release() {
        if (!pinned_) return;
        pinned_ = false;
        CUDA_CHECK(cudaHostUnregister(first_));
    }

 private:
    void* const first_;
    const std::size_t bytes_;
    bool pinned_ = false;
};
