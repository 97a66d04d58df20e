/// @file
/// @brief Checks of the lens. They are built with the lens.
#include "costs.cuh"
#include "lanes.cuh"
#include "launches.cuh"
#include "order.cuh"
#include "races.cuh"
#include "recordings.cuh"
#include "requests.cuh"
#include "streams.cuh"
#include "unwritten.cuh"
