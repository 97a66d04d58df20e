/// @file
/// @brief Selects the device and queries its properties.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "error.cuh"

/// There is no CUDA device. Programs exit with status 3.
class NoDevice : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// The properties of a device that programs print or depend on.
struct Device {
    std::string name;
    int multiprocessors;
    std::size_t l2_bytes;
    std::size_t free_bytes;
    bool simulated;  ///< whether it is the simulator, whose times say nothing about a GPU
};

/// @return Whether the current device is the simulator.
/// @throws CudaError.
inline bool is_simulated() {
    int device = 0;
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    return std::strncmp(properties.name, "simulator", 9) == 0;
}

/// @brief Selects a device, by default the first one, and returns its properties.
/// @throws NoDevice if there is none; CudaError.
/// @par Source
/// `InitCUDA` of C (Caijinping 2014), which looks for the first device that answers.
inline Device init_cuda(int device = 0) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        throw NoDevice(std::string("no CUDA device: ") +
                       (error != cudaSuccess ? cudaGetErrorString(error) : "none is visible") +
                       "; run on the simulator instead: ./course run --backend simulator");
    }
    CUDA_CHECK(cudaSetDevice(device));
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    std::size_t free_bytes = 0, total_bytes = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return {properties.name, properties.multiProcessorCount, static_cast<std::size_t>(properties.l2CacheSize),
            free_bytes, is_simulated()};
}

/// @return An attribute of the current device: a count, or a size in bytes.
/// @throws CudaError.
inline unsigned int device_attribute(cudaDeviceAttr attribute) {
    int device = 0, value = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return static_cast<unsigned int>(value);
}

/// @return The number of SMs (streaming multiprocessors) of the current device.
inline unsigned int multiprocessor_count() { return device_attribute(cudaDevAttrMultiProcessorCount); }

/// @return How many blocks of `block` threads the device holds at a time, if only threads limit them.
/// @throws CudaError.
inline unsigned int resident_blocks(unsigned int block) {
    return multiprocessor_count() * (device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / block);
}

/// @return The most bytes of shared memory that a block can have; more than 48 KiB must be requested first.
inline std::size_t most_shared_bytes() { return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }
