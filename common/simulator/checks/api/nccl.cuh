/// @file
/// @brief Checks of the simulator's NCCL: sums over all devices, in the order of the streams.
#pragma once

#include <nccl.h>

#include <memory>
#include <vector>

#include "../streams/streams.cuh"

namespace nccl_checks {

using Numbers = std::vector<unsigned long long>;

/// Three devices, each with a communicator, a stream and numbers.
struct ThreeDevices {
    /// @param[in] by_default Whether the devices' default streams do the work.
    explicit ThreeDevices(bool by_default = false) {
        if (ncclCommInitAll(communicators, 3, nullptr) != ncclSuccess) throw std::runtime_error("no NCCL");
        for (int device = 0; device < 3; ++device) {
            CUDA_CHECK(cudaSetDevice(device));
            created.push_back(std::make_unique<stream_checks::Stream>());
            streams.push_back(by_default ? nullptr : created.back()->stream);
            numbers.emplace_back(2);
            CUDA_CHECK(cudaMemset(numbers.back().data(), device + 1, numbers.back().bytes()));
        }
    }
    ~ThreeDevices() {
        for (ncclComm_t communicator : communicators) ncclCommDestroy(communicator);
        cudaSetDevice(0);
    }
    ThreeDevices(const ThreeDevices&) = delete;
    ThreeDevices& operator=(const ThreeDevices&) = delete;

    ncclResult_t reduce(std::size_t device, std::size_t count = 2) {
        return ncclAllReduce(numbers[device].data(), numbers[device].data(), count, ncclUint64, ncclSum,
                             communicators[device], streams[device]);
    }

    const Setting three{"CUDA_SIM_DEVICES", 3};
    ncclComm_t communicators[3] = {};
    std::vector<std::unique_ptr<stream_checks::Stream>> created;
    std::vector<cudaStream_t> streams;
    std::vector<DeviceBuffer<unsigned long long>> numbers;
};

constexpr unsigned long long kOnes = 0x0101010101010101;

/// Whether all devices get the sums of numbers that were copied to them just before.
/// @param[in] last The device whose results are read last. The first device's stream does the work.
bool adds_up(bool waits, bool by_default = false, int last = 0) {
    ThreeDevices devices(by_default);
    const stream_checks::PinnedInt five;
    *five.value = 5;
    CUDA_CHECK(cudaSetDevice(2));
    CUDA_CHECK(cudaMemcpyAsync(devices.numbers[2].data(), five.value, 1, cudaMemcpyHostToDevice,
                               devices.streams[2]));
    CUDA_CHECK(cudaSetDevice(1));
    ncclGroupStart();
    for (std::size_t device = 0; device < 3; ++device) devices.reduce(device);
    if (ncclGroupEnd() != ncclSuccess) return false;
    int current = -1;
    CUDA_CHECK(cudaGetDevice(&current));
    bool right = current == 1;
    Numbers results[3];
    for (int turn = 1; turn <= 3; ++turn) {
        const int device = (last + turn) % 3;
        CUDA_CHECK(cudaSetDevice(device));
        if (waits) CUDA_CHECK(cudaStreamSynchronize(devices.streams[static_cast<std::size_t>(device)]));
        results[device] = devices.numbers[static_cast<std::size_t>(device)].to_host();
        right = right && results[device] == Numbers{6 * kOnes + 2, 6 * kOnes};
    }
    return right;
}

TEST_CASE("an all-reduce gives the sums to all devices, after what is before it in any of the streams") {
    CHECK(order_checks::with_seed(0, [] { return adds_up(true); }));
    for (const int last : {0, 1, 2})
        CHECK(stream_checks::failures([last] { return adds_up(true, false, last); }) == 0);
    CHECK(stream_checks::failures([] { return adds_up(true, true); }) == 0);
    CHECK(stream_checks::failures([] { return adds_up(false, true); }) == 0);
}

TEST_CASE(
    "an all-reduce that a device is missing from is rejected, as are other devices' numbers and streams") {
    ThreeDevices devices;
    ncclGroupStart();
    CHECK(devices.reduce(0) == ncclSuccess);
    CHECK(devices.reduce(2) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclInvalidUsage);
    CHECK(devices.reduce(0) == ncclInvalidUsage);
    ncclGroupStart();
    for (std::size_t device = 0; device < 3; ++device)
        CHECK(devices.reduce(device, 2 - device / 2) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclInvalidUsage);
    CHECK(devices.reduce(0, 3) == ncclInvalidArgument);
    unsigned long long* const d_numbers = devices.numbers[0].data();
    CHECK(ncclAllReduce(d_numbers, d_numbers, 2, ncclUint64, ncclSum, nullptr, nullptr) ==
          ncclInvalidArgument);
    CHECK(ncclAllReduce(d_numbers, d_numbers, 2, static_cast<ncclDataType_t>(4), ncclSum,
                        devices.communicators[0], devices.streams[0]) == ncclInvalidArgument);
    std::swap(devices.streams[0], devices.streams[1]);
    CHECK(devices.reduce(0) == ncclInvalidArgument);
    std::swap(devices.streams[0], devices.streams[1]);
    CHECK(devices.numbers[0].to_host() == Numbers{kOnes, kOnes});
    ncclComm_t communicators[4];
    CHECK(ncclCommInitAll(communicators, 4, nullptr) == ncclInvalidArgument);
    CHECK(ncclCommInitAll(communicators, 0, nullptr) == ncclInvalidArgument);
    CHECK(ncclCommInitAll(nullptr, 1, nullptr) == ncclInvalidArgument);
    for (const int wrong : {-1, 3}) CHECK(ncclCommInitAll(communicators, 1, &wrong) == ncclInvalidArgument);
    const int twice[] = {1, 1};
    CHECK(ncclCommInitAll(communicators, 2, twice) == ncclInvalidUsage);
    CHECK(std::string(ncclGetErrorString(ncclInvalidUsage)) == "invalid usage");
}

}  // namespace nccl_checks
