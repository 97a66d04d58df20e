/// @file
/// @brief Checks of chapter 07's applications: streams of chunks, on one and on several GPUs.
#include "checks/ends.cuh"
#include "checks/far.cuh"
#include "checks/faults.cuh"
#include "checks/ranks.cuh"
#include "checks/results.cuh"
