/// @file
/// @brief The runtime API: more about streams and events.
#pragma once

#include <functional>
#include <map>

#include "../../include/cuda_runtime.h"
#include "../../include/simulator/cooperation.h"

enum : unsigned int { cudaEventInterprocess = 4, cudaEventRecordDefault = 0, cudaEventWaitDefault = 0 };
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))

namespace sim {
inline auto& stream_priorities() {
    static std::map<cudaStream_t, int> priorities;
    return priorities;
}
}  // namespace sim
/// A priority changes nothing here, but a program may ask for it. Those outside the range are clamped.
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
    const cudaError_t error = cudaStreamCreateWithFlags(stream, flags);
    if (error == cudaSuccess)
        sim::stream_priorities()[*stream] = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    return error;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    const auto found = sim::stream_priorities().find(stream);
    *priority = found == sim::stream_priorities().end() ? 0 : found->second;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int* flags) { return *flags = 0, cudaSuccess; }
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
    return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                            unsigned int = 0) {
    return cudaEventRecord(event, stream);
}

/// @name Functions of the host in a stream
/// @{
using cudaHostFn_t = void (*)(void*);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);
inline cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    if (sim::capture_host([=] { function(data); })) return cudaSuccess;
    const cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) function(data);
    return error;
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                         unsigned int) {
    if (sim::are_captured()) return cudaErrorStreamCaptureUnsupported;
    function(stream, cudaDeviceSynchronize(), data);
    return cudaSuccess;
}
/// @}
