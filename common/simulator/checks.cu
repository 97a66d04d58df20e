/// @file
/// @brief Checks of the simulator: that it keeps CUDA's promises, and that it says who breaks them.
///
/// The first three parts hold on a GPU as well. The other two are about what a GPU leaves open.
#include "../catch.hpp"
#include "checks/kernels.cuh"
#include "checks/runtime.cuh"
#include "checks/syntax.cuh"

#include "checks/faults.cuh"
#include "checks/order.cuh"
