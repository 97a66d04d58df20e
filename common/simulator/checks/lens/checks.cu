/// @file
/// @brief Checks of the lens, which they are built with.
#include "races.cuh"
#include "requests.cuh"
