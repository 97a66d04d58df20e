/// @file
/// @brief NCCL, as the simulator provides it: the calls with which one thread sums numbers across devices.
///
/// Names, signatures and values are NCCL's own. What is missing here does not compile.
#pragma once

#include <cstddef>

#include "cuda_runtime.h"

/// A communicator: one device's membership in a group of devices.
using ncclComm_t = struct SimNcclCommunicator*;

/// What a call returns.
enum ncclResult_t : int {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
};
/// The type of the numbers.
enum ncclDataType_t : int { ncclUint64 = 5 };
/// The operation of a reduction.
enum ncclRedOp_t : int { ncclSum = 0 };

/// A one-line description of an error.
const char* ncclGetErrorString(ncclResult_t result);

/// @brief Creates a communicator for each of `count` devices, whose ranks are 0, 1, …
/// @param[out] communicators The `count` communicators, in the order of their ranks.
/// @param[in] devices The devices' numbers; null for 0, 1, …
/// @return ncclInvalidArgument if `count` or a device's number is out of range; ncclInvalidUsage if a device
/// is repeated.
ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices);
/// Destroys a communicator.
ncclResult_t ncclCommDestroy(ncclComm_t communicator);

/// @{

/// The calls between `ncclGroupStart` and `ncclGroupEnd` form a group and take effect together, at its end.
/// Without a group that has been started, `ncclGroupEnd` returns ncclInvalidUsage.
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
/// @}

/// @brief Adds up `count` numbers of each device, element by element, and stores the sums on all devices.
///
/// One call must be made for each device of the communicators created together, and all of these calls must
/// be in one group. If a call is missing, NCCL waits for it; here, `ncclGroupEnd` returns ncclInvalidUsage.
/// The work is enqueued in the streams and may be done after the call has returned.
/// @param[in] send `count` numbers in device memory.
/// @param[out] receive Device memory for `count` sums.
/// @return ncclInvalidArgument for a null communicator, an invalid stream, memory that is not device memory,
/// or any type or operation other than ncclUint64 and ncclSum.
ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream);
