/// @file
/// @brief The runtime API: choosing devices, limits, peers, profiler. Devices are not peers of each other.
#pragma once

#include <stdio.h>

#include "../../include/cuda_runtime.h"

using cudaError = cudaError_t;  // CUDA's name for the enumeration itself
#define cudaErrorApiFailureBase (static_cast<cudaError_t>(10000))
#define cudaErrorStartupFailure (static_cast<cudaError_t>(127))
#define cudaDevicePropDontCare (cudaDeviceProp{})

enum : unsigned int {
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceBlockingSync = 4,
    cudaDeviceMapHost = 8,
    cudaDeviceLmemResizeToMax = 16,
};
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte,
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };  // the simulator has no textures
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported,
    cudaDevP2PAttrNativeAtomicSupported,
    cudaDevP2PAttrCudaArrayAccessSupported,
};

inline cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
inline cudaError_t cudaGetDeviceFlags(unsigned int* flags) { return *flags = 0, cudaSuccess; }
inline cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
inline cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return cudaSetDevice(device); }
inline cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }  // CUDA 12 and before
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }               // likewise

/// @name Settings that tune a GPU and have no effect here
/// @{
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    return *config = cudaFuncCachePreferNone, cudaSuccess;
}
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return *config = cudaSharedMemBankSizeFourByte, cudaSuccess;
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) { return *value = 128 * 1024, cudaSuccess; }
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
/// @}

/// @name Other devices, whose memory can be copied but not accessed
/// @{
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    int count = 0;
    cudaGetDeviceCount(&count);
    *can = 0;
    return device >= 0 && device < count && peer >= 0 && peer < count ? cudaSuccess : cudaErrorInvalidDevice;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return cudaErrorInvalidDevice; }
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaErrorPeerAccessNotEnabled; }
inline cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
    return *value = 0, cudaErrorInvalidDevice;
}
inline cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int) {
    return snprintf(id, static_cast<size_t>(bytes), "0000:00:00.0"), cudaSuccess;
}
inline cudaError_t cudaDeviceGetByPCIBusId(int* device, const char*) { return *device = 0, cudaSuccess; }
/// @}
