/// @file
/// @brief Checks of the simulator: that it keeps CUDA's promises, and that it reports who breaks them.
///
/// The first group also passes on a GPU. The other groups are about what CUDA leaves undefined.
#include "../../checks/catch.hpp"
#include "api/runtime.cuh"
#include "grid/barriers.cuh"
#include "grid/kernels.cuh"
#include "grid/launches.cuh"
#include "grid/warps.cuh"
#include "memory/atomics.cuh"
#include "memory/variables.cuh"
#include "translate/syntax.cuh"

#include "api/nccl.cuh"
#include "faults/address_faults.cuh"
#include "faults/barrier_faults.cuh"
#include "faults/faults.cuh"
#include "faults/host_faults.cuh"
#include "faults/kernel_faults.cuh"
#include "faults/shared_faults.cuh"
#include "grid/order.cuh"
#include "memory/redzones.cuh"
#ifndef __wasm__
#include "instrument/interleave.cuh"  // calls instrumentation functions, which differ in WebAssembly
#endif
#include "streams/hazards.cuh"
#include "streams/host_hazards.cuh"
#include "streams/no_hazards.cuh"
#include "streams/shared_memory.cuh"
#include "streams/shared_pages.cuh"
#include "streams/streams.cuh"
