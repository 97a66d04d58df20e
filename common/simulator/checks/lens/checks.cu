/// @file
/// @brief Checks of the lens, which they are built with.
#include "costs.cuh"
#include "lanes.cuh"
#include "launches.cuh"
#include "order.cuh"
#include "races.cuh"
#include "recordings.cuh"
#include "requests.cuh"
#include "streams.cuh"
