/// @file
/// @brief NVIDIA's own reduction, CUB's, as a baseline. There is none on the simulator.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "../cuda/device_buffer.cuh"
#include "../problem/sum_of_squares.cuh"
#include "bench.cuh"
#include "cub_call.cuh"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>

/// What CUB applies to each element.
struct CubSquare {
    /// The square, widened first.
    __host__ __device__ unsigned long long operator()(int value) const { return square(value); }
};
/// How CUB combines two of them.
struct CubAdd {
    /// The sum modulo 2^64.
    __host__ __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const {
        return a + b;
    }
};

/// @brief CUB's sum of these squares, by TransformReduce on the raw pointer.
/// @param[in] expected The CPU's sum, which CUB's must be.
/// @throws std::runtime_error if CUB's sum is another.
inline std::vector<Job> cub_jobs(const int* d_data, std::size_t n, const Results& expected) {
    const auto d_sum = std::make_shared<DeviceBuffer<unsigned long long>>(1);
    const auto run = cub_call([=](void* d_workspace, std::size_t& bytes) {
        return cub::DeviceReduce::TransformReduce(d_workspace, bytes, d_data, d_sum->data(),
                                                  static_cast<long long>(n), CubAdd(), CubSquare(), 0ull);
    });
    verify_cub(run, *d_sum, expected);
    return {{.name = kCub, .run = run}};
}
#else
inline std::vector<Job> cub_jobs(const int*, std::size_t, const Results&) { return {}; }
#endif
