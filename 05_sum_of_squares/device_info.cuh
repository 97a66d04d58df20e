/// @file
/// @brief The device's properties: `--device-info`.
#pragma once

#include <cstdio>

#include "../common/cuda/error.cuh"

/// @brief Prints the first device's properties.
/// @par Source
/// `printDeviceProp` of C (Caijinping 2014), which prints 64-bit sizes with `%d`. Since CUDA 13 the clock
/// rate is no longer a property, so it is queried as an attribute.
/// @return The program's exit status: 0.
inline int print_device_info() {
    cudaDeviceProp p;
    CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
    int kilohertz = 0, memory_kilohertz = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&memory_kilohertz, cudaDevAttrMemoryClockRate, 0));
    std::printf("name                              %s\n", p.name);
    std::printf("compute capability                %d.%d\n", p.major, p.minor);
    std::printf("multiprocessors                   %d\n", p.multiProcessorCount);
    std::printf("clock rate                        %d kHz\n", kilohertz);
    std::printf("global memory                     %zu bytes\n", p.totalGlobalMem);
    std::printf("memory clock rate, bus            %d kHz, %d bits\n", memory_kilohertz, p.memoryBusWidth);
    std::printf("L2 cache                          %d bytes\n", p.l2CacheSize);
    std::printf("constant memory                   %zu bytes\n", p.totalConstMem);
    std::printf("shared memory per block           %zu bytes, %zu if requested\n", p.sharedMemPerBlock,
                p.sharedMemPerBlockOptin);
    std::printf("shared memory per SM              %zu bytes\n", p.sharedMemPerMultiprocessor);
    std::printf("registers per block               %d\n", p.regsPerBlock);
    std::printf("warp size                         %d threads\n", p.warpSize);
    std::printf("threads per block, at most        %d (%d x %d x %d)\n", p.maxThreadsPerBlock,
                p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    std::printf("threads per SM                    %d\n", p.maxThreadsPerMultiProcessor);
    std::printf("blocks in a grid, at most         %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1],
                p.maxGridSize[2]);
    std::printf("pitch of a copy, at most          %zu bytes\n", p.memPitch);
    std::printf("texture alignment                 %zu bytes\n", p.textureAlignment);
    std::printf("copies alongside kernels          %d\n", p.asyncEngineCount);
    return 0;
}
