/// @file
/// @brief NVIDIA's own reduction, CUB's, as the yardstick. There is none on the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "../cuda/device_buffer.cuh"
#include "../problem/sum_of_squares.cuh"
#include "cub_call.cuh"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>

/// What CUB applies to each element.
struct CubSquare {
    /// The square, widened first.
    __host__ __device__ unsigned long long operator()(int value) const { return square(value); }
};
/// How CUB puts two of them together.
struct CubAdd {
    /// The sum modulo 2^64.
    __host__ __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const {
        return a + b;
    }
};

/// @param[in] expected The sum of the CPU, which CUB's must be.
/// @return Runs CUB's sum of these squares, by TransformReduce on the raw pointer; empty on the simulator.
/// @throws std::runtime_error if CUB's sum is another.
inline std::function<void()> cub_sum(const int* d_data, std::size_t n, unsigned long long expected) {
    const auto d_sum = std::make_shared<DeviceBuffer<unsigned long long>>(1);
    const auto run = cub_call([=](void* d_workspace, std::size_t& bytes) {
        return cub::DeviceReduce::TransformReduce(d_workspace, bytes, d_data, d_sum->data(),
                                                  static_cast<long long>(n), CubAdd(), CubSquare(), 0ull);
    });
    verify_cub(run, *d_sum, {expected});
    return run;
}
#else
inline std::function<void()> cub_sum(const int*, std::size_t, unsigned long long) { return {}; }
#endif
