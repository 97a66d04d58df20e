/// @file
/// @brief The runtime API of api/more: priorities of streams, and host functions in streams.
#include "streams.h"

#include <algorithm>
#include <map>

#include "../../streams/captures.hpp"

namespace {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;
std::map<cudaStream_t, int>& priorities() {
    static std::map<cudaStream_t, int> result;
    return result;
}

}  // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
    const cudaError_t error = cudaStreamCreateWithFlags(stream, flags);
    if (error == cudaSuccess) priorities()[*stream] = std::clamp(priority, kGreatestPriority, kLeastPriority);
    return error;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    const auto found = priorities().find(stream);
    *priority = found == priorities().end() ? kLeastPriority : found->second;
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    if (sim::capture_host([=] { function(data); })) return cudaSuccess;
    const cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) function(data);
    return error;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned int) {
    if (sim::are_captured()) return cudaErrorStreamCaptureUnsupported;
    function(stream, cudaDeviceSynchronize(), data);
    return cudaSuccess;
}
