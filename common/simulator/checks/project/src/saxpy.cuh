#pragma once
#include <cuda_runtime.h>

/// y = a * x + y, for n elements in device memory.
cudaError_t saxpy(int n, float a, const float* x, float* y);
