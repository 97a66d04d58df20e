/// @file
/// @brief How a function of CUB's is called: once to ask for the size of its workspace, then with it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cuda/device_buffer.cuh"

/// @brief Allocates the workspace, outside the time that is measured.
/// @param[in] call `call(d_workspace, bytes)` calls CUB, and answers with its error.
/// @return Calls CUB with the workspace.
template <typename Call>
std::function<void()> cub_call(const Call& call) {
    std::size_t bytes = 0;
    CUDA_CHECK(call(nullptr, bytes));
    return [call, d_workspace = std::make_shared<DeviceBuffer<unsigned char>>(bytes)] {
        std::size_t size = d_workspace->size();
        CUDA_CHECK(call(d_workspace->data(), size));
    };
}

/// @brief Runs CUB once, and holds its result against the CPU's: a baseline that is wrong measures nothing.
/// @param[in] d_result Where `run` leaves its counts or sum.
/// @param[in] expected In 64 bits; narrower counters wrap around.
/// @throws std::runtime_error if the two differ.
template <typename T>
void verify_cub(const std::function<void()>& run, const DeviceBuffer<T>& d_result,
                const std::vector<unsigned long long>& expected) {
    CUDA_CHECK(cudaMemset(d_result.data(), 0xA5, d_result.bytes()));
    run();
    const std::vector<T> got = d_result.to_host();
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (got[i] != static_cast<T>(expected[i]))
            throw std::runtime_error("CUB is wrong: number " + std::to_string(i) + " is " +
                                     std::to_string(got[i]) + ", and the CPU's is " +
                                     std::to_string(expected[i]));
}
