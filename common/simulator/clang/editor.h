/// @file
/// @brief Lets clang read `.cu` and `.cuh` files as CUDA where no CUDA Toolkit is installed.
///
/// In an editor, clangd includes this file (see .clangd). The build also makes clang include it, to find what
/// nvcc would reject (see rejected.cmake): the compiler of the build reads the translated files, but clang
/// reads the original ones, as device code.
#pragma once

// The functions of the C library that kernels may call; its other functions are the host's.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS  // C's stdlib.h, without <cstdlib>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
extern "C" {
__attribute__((device)) int printf(const char* format, ...);
__attribute__((device)) void* malloc(size_t bytes);
__attribute__((device)) void free(void* pointer);
__attribute__((device)) void* memcpy(void* to, const void* from, size_t bytes);
__attribute__((device)) void* memset(void* to, int value, size_t bytes);
__attribute__((device)) int abs(int x);
__attribute__((device)) long labs(long x);
__attribute__((device)) long long llabs(long long x);
__attribute__((device)) clock_t clock();
__attribute__((device)) void __assert_fail(const char*, const char*, unsigned int, const char*);
}

// What kernels may call of the C++ library: std::move and std::forward, initializer lists and mathematics.
// The other headers that <cmath> includes are included first, so that their functions are the host's.
#include <cstddef>
#pragma clang force_cuda_host_device begin
#include <bits/move.h>
#include <initializer_list>
#include <type_traits>
#pragma clang force_cuda_host_device end
#include <array>
#include <limits>
#pragma clang force_cuda_host_device begin
#include <cmath>
#pragma clang force_cuda_host_device end

// nvcc evaluates ceil of a constant, but no other such function, at compile time. It therefore accepts an
// array `__shared__ int s[(int)ceil(n / 4.0)]`.
#pragma clang force_cuda_host_device begin
constexpr double sim_ceil(double x) {
    return x > -1e15 && x < 1e15 ? static_cast<double>(static_cast<long long>(x) +
                                                       (static_cast<double>(static_cast<long long>(x)) < x))
                                 : x;
}
constexpr float sim_ceil(float x) { return static_cast<float>(sim_ceil(static_cast<double>(x))); }
template <typename T>
constexpr double sim_ceil(T x) {
    return sim_ceil(static_cast<double>(x));
}
#pragma clang force_cuda_host_device end
namespace std {
using ::sim_ceil;
}

// The simulator also includes these headers, but their functions must remain host functions.
#include <cstdint>
#include <cstring>
#include <new>
#ifdef SIMULATOR_COMPAT  // for a program from elsewhere
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <strings.h>

#include <cstdlib>
#include <utility>
#endif

// clang's own <new> and <algorithm> add functions for kernels. With nvcc, kernels have no std::min, so
// <algorithm> is included here, where the simulator's definitions of the qualifiers are empty.
#define __CLANG_CUDA_WRAPPERS_NEW
#pragma clang force_cuda_host_device begin
#define thread_local __attribute__((device))  // for the built-in variables, such as threadIdx
#ifdef SIMULATOR_COMPAT
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <cuda/atomic>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/utility>
#include "../api/more/prelude.h"
#else
#include "../include/cuda_runtime.h"
#endif
#undef thread_local
#pragma clang force_cuda_host_device end
#include <algorithm>
#undef __CLANG_CUDA_WRAPPERS_NEW

// The simulator defines the qualifiers as nothing; clang needs their meaning.
#undef __host__
#undef __constant__
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __noinline__  // in C++ headers, __attribute__((__noinline__)) remains correct
#ifdef SIMULATOR_COMPAT
#undef __managed__
#define __managed__ __attribute__((device))
#endif
// Uses of device variables by host code are found by clang's analysis of locks, which warns if a variable is
// read or written without its lock. Each device variable is given a lock that no function holds
// (translate/programs/device_variables.hpp). Functions for a device are not analysed.
struct __attribute__((capability("device"))) SimDevice {};
extern SimDevice sim_device;
#define SIM_ON_DEVICE __attribute__((guarded_by(sim_device)))
#define SIM_UNCHECKED __attribute__((no_thread_safety_analysis))
#undef __device__
#undef __global__
#define __device__ __attribute__((device, no_thread_safety_analysis))
#define __global__ __attribute__((global, no_thread_safety_analysis))
#include <new>  // clang's own, whose operators a kernel may also use
#define ceil sim_ceil

/// @{

/// clang checks the arguments between `<<<` and `>>>` against one of these functions: which one depends on
/// clang's version.
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                              cudaStream_t stream = nullptr);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                                         cudaStream_t stream = nullptr);
/// @}
