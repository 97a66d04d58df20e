/// @file
/// @brief What some editors include in every CUDA file: the names are those of cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
