/// @file
/// @brief The part of CUDA's runtime API that the course uses: errors, devices, memory, streams, events.
///
/// While a program has no stream of its own, and no asynchronous copy of pinned memory is in flight, every
/// operation is finished when its call returns, which is one of the schedules that CUDA allows. Otherwise,
/// work may be done later (streams/streams.hpp). Device memory is host memory whose allocations the simulator
/// keeps in a list: a pointer that is in no allocation, or a range that leaves its allocation, is an error,
/// as on a GPU.
#pragma once

#include <cstddef>

#include "errors.h"
#include "properties.h"
#include "vector_types.h"

/// CUDA's errors, with CUDA's numbers.
enum cudaError_t : int {
#define SIM_X(name, value, text) name = value,
    SIM_ERRORS(SIM_X)
#undef SIM_X
};

/// @{

/// An error's name, and CUDA's description of it, to which the simulator adds the cause if that is known.
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
/// @}
cudaError_t cudaGetLastError();     ///< Returns the last error and clears it.
cudaError_t cudaPeekAtLastError();  ///< Returns the last error and keeps it.

/// Sets `*version` to 0, as CUDA does if no driver is installed.
cudaError_t cudaDriverGetVersion(int* version);
/// Sets `*version` to 13000: the names and signatures are those of CUDA 13.0.
cudaError_t cudaRuntimeGetVersion(int* version);

/// @name Devices
/// There is one device, number 0, unless CUDA_SIM_DEVICES sets another number of devices. The error is
/// cudaErrorInvalidDevice for a number that no device has, and cudaErrorInvalidValue for a null pointer.
/// @{
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);  ///< Chooses the device that the calling thread uses from now on.
cudaError_t cudaGetDevice(int* device);
/// The properties are a name that begins with "simulator", the limits of compute capability 9.0, and one SM
/// for each OS thread that runs blocks, unless CUDA_SIM_MULTIPROCESSORS sets another number.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
/// Sets `*value` to one of the properties. Clock rates are in kHz.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
/// Waits for all work of the current device. If a kernel has failed, returns the error of its fault.
cudaError_t cudaDeviceSynchronize();
/// Frees every allocation of the current device and clears a kernel's fault, but not the last error.
cudaError_t cudaDeviceReset();
/// @}

/// @name Streams
/// Work enqueued in a stream is done in order. Each stream belongs to a device.
/// @{
using cudaStream_t = struct SimStream*;
using cudaEvent_t = struct SimEvent*;
enum : unsigned int { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
cudaError_t cudaStreamCreate(cudaStream_t* stream);
/// The default stream and a stream created with cudaStreamNonBlocking do not wait for each other.
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
/// Work enqueued in the stream from now on waits for the work before the event's last record.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);

/// @}

/// @name Events
/// Time stamps in streams. For an event that does not exist, the error is cudaErrorInvalidResourceHandle.
/// @{
enum : unsigned int { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
/// Sets `*milliseconds` to the time between two recorded events, with a resolution of less than a
/// microsecond. The error is cudaErrorInvalidResourceHandle if an event was never recorded or has no timing,
/// or if the two are of different devices, and cudaErrorNotReady if a record is still in flight.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

/// @}

/// The direction of a copy. cudaMemcpyDefault determines it from the pointers.
enum cudaMemcpyKind : int {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};

/// @name Memory
/// Sizes are in bytes. The error is cudaErrorInvalidValue for a pointer or a range outside all allocations,
/// and cudaErrorMemoryAllocation for more memory than is available.
/// @{
cudaError_t cudaMalloc(void** pointer, std::size_t bytes);  ///< Device memory, at a multiple of 256 bytes.
cudaError_t cudaFree(void* pointer);                        ///< Null frees nothing and is no error.
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes);  ///< Host memory that counts as pinned.
cudaError_t cudaFreeHost(void* pointer);                        ///< Frees memory from cudaMallocHost.
enum : unsigned int { cudaHostRegisterDefault = 0 };
/// Pins host memory. The error is cudaErrorHostMemoryAlreadyRegistered if pinned memory begins at this
/// address.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int flags);
/// Unpins memory. The error is cudaErrorHostMemoryNotRegistered unless cudaHostRegister has pinned it.
cudaError_t cudaHostUnregister(void* pointer);
/// How much memory the host has available, and how much in all: device memory is the host's.
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
enum : unsigned int { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
/// Memory that the host and all devices can access; free it with cudaFree.
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags = cudaMemAttachGlobal);
/// On a GPU, moves managed memory to a device before a kernel accesses it. Here, all memory is the host's,
/// and nothing moves.
inline cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t = nullptr) {
    return cudaSuccess;
}
/// Sets each byte to `value`.
cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes);
/// Copies bytes. The direction says which of the two pointers must point to device memory.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

/// Set and copy bytes in a stream. If host memory is not pinned, a copy to it is done when the call returns,
/// and a copy from it has read the bytes by then.
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
/// Device memory for elements of a type; `bytes` is their size.
template <typename T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
/// Pinned host memory for elements of a type; `bytes` is their size.
template <typename T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes) {
    return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}
/// Managed memory for elements of a type; `bytes` is their size.
template <typename T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}

/// @}

/// What cudaFuncSetAttribute can set: how many bytes of dynamic shared memory a launch of the kernel may
/// request.
enum cudaFuncAttribute : int { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

namespace sim {

/// @{

/// What the templates below call. These functions need not know the type of the kernel or variable.
cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t occupancy(int* blocks, const void* kernel, int threads_per_block,
                      std::size_t dynamic_shared_bytes);
cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, std::size_t offset, void* host,
                        std::size_t bytes, bool to_symbol);
/// @}

}  // namespace sim

/// Lets launches of a kernel request up to `value` bytes of dynamic shared memory, at most 227 KiB, instead
/// of 48 KiB. The error for any other value is cudaErrorInvalidValue.
template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
    return sim::set_function_attribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

/// Sets `*blocks` to how many blocks of a kernel fit on an SM at a time; 0 if the kernel can't be launched
/// with such blocks.
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads_per_block,
                                                          std::size_t dynamic_shared_bytes) {
    return sim::occupancy(blocks, reinterpret_cast<const void*>(kernel), threads_per_block,
                          dynamic_shared_bytes);
}

/// @{

/// Copy `bytes` bytes to or from a device variable, starting at its byte `offset`. The error for a range that
/// is not inside the variable is cudaErrorInvalidValue.
template <typename T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0) {
    return sim::copy_symbol(&symbol, sizeof(T), offset, const_cast<void*>(from), bytes, true);
}

template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, T& symbol, std::size_t bytes, std::size_t offset = 0) {
    return sim::copy_symbol(&symbol, sizeof(T), offset, to, bytes, false);
}
/// @}
