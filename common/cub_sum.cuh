/// @file
/// @brief NVIDIA's own reduction, CUB's, as the yardstick. There is none on the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "device_buffer.cuh"
#include "sum.cuh"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>

/// What CUB applies to each element, and how it puts two of them together.
struct CubSquare {
    __host__ __device__ unsigned long long operator()(int value) const { return square(value); }
};
struct CubAdd {
    __host__ __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const {
        return a + b;
    }
};

/// CUB's sum of squares, by TransformReduce on the raw pointer; its workspace is made here.
class CubSum {
 public:
    CubSum(const int* d_data, std::size_t n) : d_data_(d_data), n_(n), d_sum_(1) {
        std::size_t bytes = 0;
        call(nullptr, bytes);
        d_workspace_ = DeviceBuffer<unsigned char>(bytes);
    }
    void run() {
        std::size_t bytes = d_workspace_.size();
        call(d_workspace_.data(), bytes);
    }

 private:
    void call(void* d_workspace, std::size_t& bytes) {
        CUDA_CHECK(cub::DeviceReduce::TransformReduce(d_workspace, bytes, d_data_, d_sum_.data(),
                                                      static_cast<long long>(n_), CubAdd(), CubSquare(),
                                                      0ull));
    }

    const int* d_data_;
    std::size_t n_;
    DeviceBuffer<unsigned long long> d_sum_;
    DeviceBuffer<unsigned char> d_workspace_;
};

/// @return Runs CUB's sum of these squares; empty on the simulator.
inline std::function<void()> cub_sum(const int* d_data, std::size_t n) {
    return [cub = std::make_shared<CubSum>(d_data, n)] { cub->run(); };
}
#else
inline std::function<void()> cub_sum(const int*, std::size_t) { return {}; }
#endif
