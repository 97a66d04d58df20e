/// @file
/// @brief Host memory that the device can fetch by itself.
#pragma once

#include <cstddef>
#include <vector>

#include "error.cuh"

/// @brief Pins an array: as long as this object lives, the array's pages stay where they are in the host's
///        memory.
///
/// A device reads pinned memory by itself. Of any other memory the CPU first copies each piece to a pinned
/// buffer of the driver's. `cudaMallocHost` allocates memory that is pinned from the start.
class Pinned {
 public:
    /// @param[in] array It must not move or grow. @throws CudaError.
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

    /// Pins it again. @throws CudaError.
    void pin() {
        if (pinned_ || bytes_ == 0) return;
        CUDA_CHECK(cudaHostRegister(first_, bytes_, cudaHostRegisterDefault));
        pinned_ = true;
    }
    /// Leaves it pageable, like all other memory. @throws CudaError.
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
