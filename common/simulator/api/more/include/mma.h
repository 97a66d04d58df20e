/// @file
/// @brief What programs get by including this header besides tensor cores, which the simulator lacks.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
