/// @file
/// @brief NCCL, as the simulator provides it: the calls with which one thread adds up numbers of all devices.
///
/// Names, signatures and values are NCCL's own. What is missing here does not compile.
#pragma once

#include <cstddef>

#include "cuda_runtime.h"

/// A device's membership in a group of devices.
using ncclComm_t = struct SimNcclCommunicator*;

/// Numbers are NCCL's.
enum ncclResult_t : int {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
};
/// The type of the numbers.
enum ncclDataType_t : int { ncclUint64 = 5 };
/// The operation.
enum ncclRedOp_t : int { ncclSum = 0 };

/// A one-line description of an error.
const char* ncclGetErrorString(ncclResult_t result);

/// @brief Creates a communicator for each of `count` devices, whose ranks are 0, 1, …
/// @param[in] devices Their numbers; null for 0, 1, …
ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices);
/// Destroys a communicator.
ncclResult_t ncclCommDestroy(ncclComm_t communicator);

/// @{

/// Calls between the two are made together: the first one of a device need not wait for the others' calls.
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
/// @}

/// @brief Adds up `count` numbers of each device, element by element, and gives the sums to all of them.
///
/// All devices of a communicator must call it, in one group. NCCL would wait for those that are missing;
/// here, `ncclGroupEnd` returns ncclInvalidUsage. The work is in the streams, and may be done later.
ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream);
