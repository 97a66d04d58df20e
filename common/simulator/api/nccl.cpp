/// @file
/// @brief NCCL's all-reduce, by one thread for all devices.
#include "../include/nccl.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../instrument/observer.hpp"
#include "../memory/device_memory.hpp"
#include "../streams/streams.hpp"

/// One device of a group.
struct SimNcclCommunicator {
    int device;
    std::shared_ptr<const int> group;  // how many devices the group has
};

namespace {

struct Call {
    SimNcclCommunicator communicator;
    const std::uint64_t* send;
    std::uint64_t* receive;
    std::size_t count;
    cudaStream_t stream;
};

thread_local int group_depth = 0;          // how many groups are open
thread_local std::vector<Call> collected;  // since the outermost group began

/// Makes a device the current one during its lifetime.
class OnDevice {
 public:
    explicit OnDevice(int device) : before_(sim::choose_device(device)) {}
    ~OnDevice() { sim::choose_device(before_); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

 private:
    const int before_;
};

void reduce(const std::vector<Call>& calls) {
    std::vector<std::uint64_t> sums(calls.front().count);
    for (const Call& call : calls) {
        const sim::CopyAccess access(call.send, call.count * sizeof(*call.send));
        std::transform(sums.begin(), sums.end(), call.send, sums.begin(), std::plus<>());
    }
    for (const Call& call : calls) {
        const sim::CopyAccess access(call.receive, call.count * sizeof(*call.receive));
        std::copy(sums.begin(), sums.end(), call.receive);
        if (sim::observer != nullptr)
            sim::observer->stored(call.receive, nullptr, call.count * sizeof(*call.receive));
    }
}

/// Makes a stream wait for the work enqueued in another device's stream.
void wait_for(const Call& waiting, const Call& other) {
    cudaEvent_t event = nullptr;
    {
        const OnDevice current(other.communicator.device);
        cudaEventCreate(&event);
        cudaEventRecord(event, other.stream);
    }
    const OnDevice current(waiting.communicator.device);
    cudaStreamWaitEvent(waiting.stream, event);
    cudaEventDestroy(event);
}

/// The first call's stream waits for the other calls' streams and does all of the work; then these streams
/// wait for it.
void enqueue(std::vector<Call> calls) {
    const Call first = calls.front();
    for (const Call& call : calls) wait_for(first, call);
    const OnDevice current(first.communicator.device);
    std::vector<sim::Use> uses;
    for (const Call& call : calls) {
        const std::size_t bytes = call.count * sizeof(*call.send);
        uses.push_back({reinterpret_cast<const char*>(call.send), bytes, false});
        uses.push_back({reinterpret_cast<const char*>(call.receive), bytes, true});
    }
    sim::enqueue(first.stream, {"ncclAllReduce", uses, [calls] { reduce(calls); }});
    for (const Call& call : calls) wait_for(call, first);
}

bool is_valid(const Call& call) {
    const std::size_t bytes = call.count * sizeof(std::uint64_t);
    const OnDevice current(call.communicator.device);
    return sim::stream_error(call.stream) == cudaSuccess &&
           sim::place(call.send, bytes) == sim::Place::inside &&
           sim::place(call.receive, bytes) == sim::Place::inside;
}

/// Whether each device of one group has made a call for the same count, and no other device has made one.
bool is_complete(const std::vector<Call>& calls) {
    std::vector<bool> has_called(static_cast<std::size_t>(sim::device_count()));
    for (const Call& call : calls) {
        const auto device = static_cast<std::size_t>(call.communicator.device);
        if (call.communicator.group != calls.front().communicator.group ||
            call.count != calls.front().count || has_called[device])
            return false;
        has_called[device] = true;
    }
    return calls.size() == static_cast<std::size_t>(*calls.front().communicator.group);
}

}  // namespace

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess: return "no error";
        case ncclUnhandledCudaError: return "unhandled cuda error";
        case ncclInvalidArgument: return "invalid argument";
        case ncclInvalidUsage: return "invalid usage";
    }
    return "unknown result code";
}

ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices) {
    if (communicators == nullptr || count < 1 || count > sim::device_count()) return ncclInvalidArgument;
    std::vector<bool> is_taken(static_cast<std::size_t>(sim::device_count()));
    for (int rank = 0; rank < count; ++rank) {
        const int device = devices == nullptr ? rank : devices[rank];
        if (device < 0 || device >= sim::device_count()) return ncclInvalidArgument;
        if (is_taken[static_cast<std::size_t>(device)]) return ncclInvalidUsage;
        is_taken[static_cast<std::size_t>(device)] = true;
    }
    const auto group = std::make_shared<const int>(count);
    for (int rank = 0; rank < count; ++rank)
        communicators[rank] = new SimNcclCommunicator{devices == nullptr ? rank : devices[rank], group};
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
    delete communicator;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
    ++group_depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    if (group_depth == 0) return ncclInvalidUsage;
    if (--group_depth > 0 || collected.empty()) return ncclSuccess;
    const std::vector<Call> calls = std::exchange(collected, {});
    if (!is_complete(calls)) return ncclInvalidUsage;
    enqueue(calls);
    return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
    if (count == 0) return ncclSuccess;
    if (communicator == nullptr || type != ncclUint64 || operation != ncclSum) return ncclInvalidArgument;
    const Call call{*communicator, static_cast<const std::uint64_t*>(send),
                    static_cast<std::uint64_t*>(receive), count, stream};
    if (!is_valid(call)) return ncclInvalidArgument;
    ncclGroupStart();
    collected.push_back(call);
    return ncclGroupEnd();
}
