/// @file
/// @brief What a program from elsewhere (one that is not the course's) can use without including anything, as
/// with nvcc: CUDA's runtime API, and the C headers that it includes. `./course run FILE.cu` includes this
/// file before the program's first line.
#pragma once

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "../../include/cuda_runtime.h"
#include "../../include/simulator/cooperation.h"

/// @name Macros by which programs recognize the compiler and the device
/// One compilation is for both the host and the device, so both see compute capability 9.0. As with nvcc, a
/// C++ file (SIM_HOST_FILE) does not see the macros for CUDA code.
/// @{
#ifndef SIM_HOST_FILE
#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#endif
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDA_RUNTIME_H__  // copies of helper_cuda.h look for these two
#define __DRIVER_TYPES_H__
#define CUDART_CB
#define CUDARTAPI
/// @}

#define __managed__ __attribute__((section("sim_managed")))  // registered by memory.h
#define __grid_constant__
#define __device_builtin__
#define __builtin_align__(bytes) __align__(bytes)
#define __CUDA_ALIGN__(bytes) __align__(bytes)

#include "conversions.h"
#include "device.h"
#include "errors.h"
#include "graphs.h"
#include "launches.h"
#include "lockstep.h"
#include "math_functions.h"
#include "memory.h"
#include "pitched_memory.h"
#include "simd.h"
#include "streams.h"
#include "warps.h"

inline const bool sim_kernels_may_launch = sim::let_kernels_launch();
inline const bool sim_tells_of_poison = sim::tell_of_poison();
