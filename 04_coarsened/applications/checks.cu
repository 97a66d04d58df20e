/// @file
/// @brief Checks of chapter 04's applications: channels, equalizing, image files.
#include "checks/channels.cuh"
#include "checks/equalizing.cuh"
#include "checks/images.cuh"
