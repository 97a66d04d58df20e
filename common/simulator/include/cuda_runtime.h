/// @file
/// @brief CUDA's runtime header, as the simulator provides it: everything that a chapter may use.
///
/// The compiler finds this file instead of the CUDA Toolkit's when a chapter is built for the CPU. Names,
/// signatures and error values are CUDA's own; anything that is missing here does not compile. This keeps a
/// chapter to the part of CUDA that the simulator implements faithfully.
#pragma once

/// @{

/// CUDA's qualifiers and attributes. Here, the CPU runs all code, and all data is in its memory. `__shared__`
/// has no macro: the translator rewrites each declaration that contains it (translate/translator.hpp).
#define __host__
#define __device__
// The lens would not count the accesses of a kernel that is inlined into the simulator's code.
#define __global__ __attribute__((noinline))
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/// @}

#include <math.h>  // as the CUDA Toolkit's header does: ceil and pow need no include

#include "simulator/vector_types.h"

#include "simulator/runtime.h"

#include "simulator/kernel.h"

#include "simulator/atomics.h"
#include "simulator/bits.h"
#include "simulator/loads.h"
#include "simulator/scoped_atomics.h"

#include "simulator/launch.h"

#include "simulator/min_max.h"

/// @namespace sim
/// @brief The simulator's own names: what the headers above call to launch kernels, to let threads wait, and
/// to provide shared memory.
