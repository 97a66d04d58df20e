/// @file
/// @brief How a function of CUB's is called: once to ask for the size of its workspace, then with it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "device_buffer.cuh"

/// @brief Makes the workspace, so that it need not be made in the time that is measured.
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
