/// @file
/// @brief What a program can query about a device: its properties and its attributes.
#pragma once

#include <cstddef>

/// A device's properties: the members of CUDA 13's struct, and those that CUDA 13 has removed. Members that
/// the simulator does not set are 0.
struct cudaDeviceProp {
    char name[256];
    struct {
        char bytes[16];
    } uuid;
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment, texturePitchAlignment, surfaceAlignment;
    int multiProcessorCount, integrated, canMapHostMemory, concurrentKernels, ECCEnabled;
    int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTextureCubemap;
    int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTexture2DLinear[3];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin, reservedSharedMemPerBlock;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, pageableMemoryAccess, pageableMemoryAccessUsesHostPageTables;
    int concurrentManagedAccess, directManagedMemAccessFromHost, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, hostRegisterSupported, cooperativeLaunch, memoryPoolsSupported;
    int clusterLaunch, accessPolicyMaxWindowSize;
    char luid[8];
    unsigned int luidDeviceNodeMask, gpuDirectRDMAFlushWritesOptions, memoryPoolSupportedHandleTypes;
    int maxTexture1DMipmap, maxTexture1DLinear, maxTexture2DMipmap[2], maxTexture2DGather[2],
        maxTexture3DAlt[3];
    int maxTextureCubemapLayered[2], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    int sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported;
    int gpuDirectRDMASupported, gpuDirectRDMAWritesOrdering, deferredMappingCudaArraySupported;
    int ipcEventSupported, unifiedFunctionPointers, mpsEnabled;
    int clockRate, memoryClockRate, deviceOverlap, computeMode, kernelExecTimeoutEnabled;  // until CUDA 12
    int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;                    // until CUDA 12
};

// For each attribute: its name, its number, and the property that has the same value.
#define SIM_ATTRIBUTES(X)                                                                             \
    X(cudaDevAttrMaxThreadsPerBlock, 1, maxThreadsPerBlock)                                           \
    X(cudaDevAttrMaxBlockDimX, 2, maxThreadsDim[0])                                                   \
    X(cudaDevAttrMaxBlockDimY, 3, maxThreadsDim[1])                                                   \
    X(cudaDevAttrMaxBlockDimZ, 4, maxThreadsDim[2])                                                   \
    X(cudaDevAttrMaxGridDimX, 5, maxGridSize[0])                                                      \
    X(cudaDevAttrMaxGridDimY, 6, maxGridSize[1])                                                      \
    X(cudaDevAttrMaxGridDimZ, 7, maxGridSize[2])                                                      \
    X(cudaDevAttrMaxSharedMemoryPerBlock, 8, sharedMemPerBlock)                                       \
    X(cudaDevAttrTotalConstantMemory, 9, totalConstMem)                                               \
    X(cudaDevAttrWarpSize, 10, warpSize)                                                              \
    X(cudaDevAttrMaxPitch, 11, memPitch)                                                              \
    X(cudaDevAttrMaxRegistersPerBlock, 12, regsPerBlock)                                              \
    X(cudaDevAttrClockRate, 13, clockRate)                                                            \
    X(cudaDevAttrTextureAlignment, 14, textureAlignment)                                              \
    X(cudaDevAttrGpuOverlap, 15, deviceOverlap)                                                       \
    X(cudaDevAttrMultiProcessorCount, 16, multiProcessorCount)                                        \
    X(cudaDevAttrKernelExecTimeout, 17, kernelExecTimeoutEnabled)                                     \
    X(cudaDevAttrIntegrated, 18, integrated)                                                          \
    X(cudaDevAttrCanMapHostMemory, 19, canMapHostMemory)                                              \
    X(cudaDevAttrComputeMode, 20, computeMode)                                                        \
    X(cudaDevAttrConcurrentKernels, 31, concurrentKernels)                                            \
    X(cudaDevAttrEccEnabled, 32, ECCEnabled)                                                          \
    X(cudaDevAttrPciBusId, 33, pciBusID)                                                              \
    X(cudaDevAttrPciDeviceId, 34, pciDeviceID)                                                        \
    X(cudaDevAttrTccDriver, 35, tccDriver)                                                            \
    X(cudaDevAttrMemoryClockRate, 36, memoryClockRate)                                                \
    X(cudaDevAttrGlobalMemoryBusWidth, 37, memoryBusWidth)                                            \
    X(cudaDevAttrL2CacheSize, 38, l2CacheSize)                                                        \
    X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor)                        \
    X(cudaDevAttrAsyncEngineCount, 40, asyncEngineCount)                                              \
    X(cudaDevAttrUnifiedAddressing, 41, unifiedAddressing)                                            \
    X(cudaDevAttrPciDomainId, 50, pciDomainID)                                                        \
    X(cudaDevAttrTexturePitchAlignment, 51, texturePitchAlignment)                                    \
    X(cudaDevAttrComputeCapabilityMajor, 75, major)                                                   \
    X(cudaDevAttrComputeCapabilityMinor, 76, minor)                                                   \
    X(cudaDevAttrStreamPrioritiesSupported, 78, streamPrioritiesSupported)                            \
    X(cudaDevAttrGlobalL1CacheSupported, 79, globalL1CacheSupported)                                  \
    X(cudaDevAttrLocalL1CacheSupported, 80, localL1CacheSupported)                                    \
    X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor)                    \
    X(cudaDevAttrMaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor)                            \
    X(cudaDevAttrManagedMemory, 83, managedMemory)                                                    \
    X(cudaDevAttrIsMultiGpuBoard, 84, isMultiGpuBoard)                                                \
    X(cudaDevAttrMultiGpuBoardGroupID, 85, multiGpuBoardGroupID)                                      \
    X(cudaDevAttrHostNativeAtomicSupported, 86, hostNativeAtomicSupported)                            \
    X(cudaDevAttrSingleToDoublePrecisionPerfRatio, 87, singleToDoublePrecisionPerfRatio)              \
    X(cudaDevAttrPageableMemoryAccess, 88, pageableMemoryAccess)                                      \
    X(cudaDevAttrConcurrentManagedAccess, 89, concurrentManagedAccess)                                \
    X(cudaDevAttrComputePreemptionSupported, 90, computePreemptionSupported)                          \
    X(cudaDevAttrCanUseHostPointerForRegisteredMem, 91, canUseHostPointerForRegisteredMem)            \
    X(cudaDevAttrCooperativeLaunch, 95, cooperativeLaunch)                                            \
    X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin)                            \
    X(cudaDevAttrHostRegisterSupported, 99, hostRegisterSupported)                                    \
    X(cudaDevAttrPageableMemoryAccessUsesHostPageTables, 100, pageableMemoryAccessUsesHostPageTables) \
    X(cudaDevAttrDirectManagedMemAccessFromHost, 101, directManagedMemAccessFromHost)                 \
    X(cudaDevAttrMaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor)                         \
    X(cudaDevAttrMaxPersistingL2CacheSize, 108, persistingL2CacheMaxSize)                             \
    X(cudaDevAttrMaxAccessPolicyWindowSize, 109, accessPolicyMaxWindowSize)                           \
    X(cudaDevAttrReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock)                        \
    X(cudaDevAttrMemoryPoolsSupported, 115, memoryPoolsSupported)                                     \
    X(cudaDevAttrClusterLaunch, 120, clusterLaunch)

/// The attributes for `cudaDeviceGetAttribute`.
enum cudaDeviceAttr : int {
#define SIM_X(name, value, property) name = value,
    SIM_ATTRIBUTES(SIM_X)
#undef SIM_X
};
