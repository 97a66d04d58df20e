/// @file
/// @brief Checks of chapter 03's applications: joint and weighted histograms.
#include "checks/axes.cuh"
#include "checks/joint.cuh"
#include "checks/pairs.cuh"
#include "checks/weighted.cuh"
