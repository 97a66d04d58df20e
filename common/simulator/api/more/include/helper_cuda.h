/// @file
/// @brief The parts of helper_cuda.h, a header of NVIDIA's samples, that programs use.
#pragma once

#include "../prelude.h"
#include "helper_string.h"

inline void sim_check(cudaError_t error, const char* call, const char* file, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, error, cudaGetErrorName(error),
            call);
    exit(EXIT_FAILURE);
}
inline void sim_check_last(const char* message, const char* file, int line) {
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%i) : %s : (%d) %s.\n", file, line, message, error, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) sim_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) sim_check_last(message, __FILE__, __LINE__)
#define printLastCudaError(message) sim_check_last(message, __FILE__, __LINE__)

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
inline int _ConvertSMVer2Cores(int, int) { return 128; }
inline const char* _ConvertSMVer2ArchName(int, int) { return "Hopper"; }
inline int findCudaDevice(int, const char**) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    printf("GPU Device 0: \"%s\" with compute capability %d.%d\n\n", properties.name, properties.major,
           properties.minor);
    return 0;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int) { return 0; }
inline bool checkCudaCapabilities(int major, int minor) { return major < 9 || (major == 9 && minor == 0); }
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
inline int ftoi(float value) { return static_cast<int>(value >= 0 ? value + 0.5f : value - 0.5f); }
