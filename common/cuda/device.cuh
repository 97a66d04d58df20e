/// @file
/// @brief Finding the device and asking what it has.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "error.cuh"

/// There is no device that could run a kernel. Programs exit with 3.
class NoDevice : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// What a program says and asks about the device that it runs on.
struct Device {
    std::string name;
    int multiprocessors;
    std::size_t l2_bytes;
    std::size_t free_bytes;
    bool simulated;  ///< its times say nothing about a GPU
};

/// @brief Takes the first device of this machine and describes it.
/// @throws NoDevice if there is none.
/// @par Source
/// `InitCUDA` of C (Caijinping 2014), which looks for the first device that answers.
inline Device init_cuda() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        throw NoDevice(std::string("no CUDA device: ") +
                       (error != cudaSuccess ? cudaGetErrorString(error) : "none is visible") +
                       "; run on the simulator instead: ./course run --backend simulator");
    }
    CUDA_CHECK(cudaSetDevice(0));
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    std::size_t free_bytes = 0, total_bytes = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return {properties.name, properties.multiProcessorCount, static_cast<std::size_t>(properties.l2CacheSize),
            free_bytes, std::strncmp(properties.name, "simulator", 9) == 0};
}

/// @return What the current device has of something: an attribute that is a count or a size in bytes.
/// @throws CudaError.
inline unsigned int device_attribute(cudaDeviceAttr attribute) {
    int device = 0, value = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return static_cast<unsigned int>(value);
}

/// How many multiprocessors the current device has: what a launch's grid is measured by.
inline unsigned int multiprocessor_count() { return device_attribute(cudaDevAttrMultiProcessorCount); }

/// @return How many blocks of `block` threads the current device can hold at a time, by their threads.
/// @throws CudaError.
inline unsigned int resident_blocks(unsigned int block) {
    return multiprocessor_count() * (device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / block);
}

/// @return Bytes of shared memory that one block can have, if its kernel asks for them beforehand.
inline std::size_t most_shared_bytes() { return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }
