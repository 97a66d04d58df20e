/// @file
/// @brief Checks of the simulator: that it keeps CUDA's promises, and that it says who breaks them.
///
/// The first group holds on a GPU as well. The others are about what a GPU leaves open.
#include "../../checks/catch.hpp"
#include "atomics.cuh"
#include "barriers.cuh"
#include "kernels.cuh"
#include "launches.cuh"
#include "runtime.cuh"
#include "syntax.cuh"
#include "variables.cuh"
#include "warps.cuh"

#include "address_faults.cuh"
#include "barrier_faults.cuh"
#include "faults.cuh"
#include "hazards.cuh"
#include "host_faults.cuh"
#include "host_hazards.cuh"
#include "interleave.cuh"
#include "kernel_faults.cuh"
#include "nccl.cuh"
#include "no_hazards.cuh"
#include "order.cuh"
#include "shared_faults.cuh"
#include "streams.cuh"
