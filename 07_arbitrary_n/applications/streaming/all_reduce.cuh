/// @file
/// @brief Adds up what several GPUs have counted, by NCCL.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../common/cuda/error.cuh"

/// A failed NCCL call, with NCCL's description of the error.
class NcclError : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// @throws NcclError unless `result` is ncclSuccess.
inline void nccl_check(ncclResult_t result, const char* call) {
    if (result != ncclSuccess) throw NcclError(std::string(call) + ": " + ncclGetErrorString(result));
}

/// Adds up numbers of several devices by NCCL, with one rank per device. For one device, does nothing.
class AllReduce {
 public:
    /// @throws NcclError.
    explicit AllReduce(const std::vector<int>& devices)
        : communicators_(devices.size() > 1 ? devices.size() : 0) {
        if (devices.size() > 1)
            nccl_check(
                ncclCommInitAll(communicators_.data(), static_cast<int>(devices.size()), devices.data()),
                "ncclCommInitAll");
    }
    ~AllReduce() {
        for (ncclComm_t communicator : communicators_) ncclCommDestroy(communicator);
    }
    AllReduce(const AllReduce&) = delete;
    AllReduce& operator=(const AllReduce&) = delete;

    /// @brief Replaces each device's numbers by the sums over all devices, modulo 2^64.
    /// @param[in,out] d_numbers One array per device, of `count` numbers in its memory.
    /// @param[in] streams One per device. The sums are there when the work in a device's stream is done.
    /// @throws NcclError.
    void add_up(const std::vector<unsigned long long*>& d_numbers, std::size_t count,
                const std::vector<cudaStream_t>& streams) {
        // One thread calls NCCL for all devices. In a group, a call does not wait for those of other devices.
        nccl_check(ncclGroupStart(), "ncclGroupStart");
        for (std::size_t k = 0; k < communicators_.size(); ++k)
            nccl_check(ncclAllReduce(d_numbers[k], d_numbers[k], count, ncclUint64, ncclSum,
                                     communicators_[k], streams[k]),
                       "ncclAllReduce");
        nccl_check(ncclGroupEnd(), "ncclGroupEnd");
    }

 private:
    std::vector<ncclComm_t> communicators_;
};
