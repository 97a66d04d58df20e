/// @file
/// @brief Lets clang read `.cu` and `.cuh` files as CUDA where no CUDA Toolkit is installed.
///
/// Only editors include it, through clangd (see .clangd): a build compiles translated files, but an editor
/// shows the original ones, with CUDA's syntax.
#pragma once

// Kernels may call functions of the C library, so these are declared for the host and the device.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS  // math.h as C has it, without <cmath>
#pragma clang force_cuda_host_device begin
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#pragma clang force_cuda_host_device end
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS

// The simulator includes these headers too, but their functions must remain host functions.
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>

// clang's <new> also declares `operator new` for the device, and clangd then reports that std::vector calls
// it.
#define __CLANG_CUDA_WRAPPERS_NEW

#pragma clang force_cuda_host_device begin
#include "include/cuda_runtime.h"
#pragma clang force_cuda_host_device end

// The simulator defines the qualifiers as nothing; clang needs their meaning.
#undef __host__
#undef __device__
#undef __global__
#undef __constant__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))

/// @{

/// What clang checks the arguments between `<<<` and `>>>` against; the name depends on clang's version.
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                              cudaStream_t stream = nullptr);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                                         cudaStream_t stream = nullptr);
/// @}
