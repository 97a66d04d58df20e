/// @file
/// @brief CUDA's runtime header, as the simulator provides it: everything that a chapter may use.
///
/// The compiler finds this file instead of the CUDA Toolkit's when a chapter is built for the CPU.
/// Names, signatures and error values are CUDA's own; what is missing here does not compile, so a
/// chapter can't use more of CUDA than the simulator keeps its promises for.
#pragma once

/// @{

/// Qualifiers say where code and data live. Here all of it is the CPU's.
/// `__shared__` has no macro: the translator rewrites each such declaration (see translator.hpp).
#define __host__
#define __device__
#define __global__ __attribute__((noinline))  // inlined in the simulator, its accesses would not be counted
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/// @}

#include "simulator/vector_types.h"

#include "simulator/runtime.h"

#include "simulator/kernel.h"

#include "simulator/atomics.h"

#include "simulator/launch.h"

#include "simulator/min_max.h"

/// @namespace sim
/// @brief The simulator, which implements CUDA's names: launches, waiting, shared memory.
