/// @file
/// @brief Checks of the simulator: that it keeps CUDA's promises, and that it says who breaks them.
///
/// The first three parts hold on a GPU as well. The others are about what a GPU leaves open.
#include "../../checks/catch.hpp"
#include "kernels.cuh"
#include "runtime.cuh"
#include "syntax.cuh"

#include "faults.cuh"
#include "hazards.cuh"
#include "host_hazards.cuh"
#include "interleave.cuh"
#include "nccl.cuh"
#include "no_hazards.cuh"
#include "order.cuh"
#include "streams.cuh"
