/// @file
/// @brief What mma.h brings besides the functions for tensor cores, which the simulator lacks.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
