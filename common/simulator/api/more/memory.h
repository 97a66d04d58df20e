/// @file
/// @brief The runtime API: mapped and stream-ordered memory, hints, attributes of pointers, device variables.
#pragma once

#include "../../include/cuda_runtime.h"

namespace sim {
/// Registers a device variable, so that copies can find it by its address.
void adopt_symbol(const void* symbol, size_t bytes);
/// Registers all `__managed__` variables. @return true, so that a variable's initializer can call it.
bool adopt_managed_variables();
inline const bool managed_variables_are_adopted = adopt_managed_variables();
}  // namespace sim

enum : unsigned int {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4,
    cudaHostRegisterReadOnly = 8,
};
constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;

/// @name Pinned memory, all of which kernels can also access
/// @{
template <typename T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int) {
    return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}
template <typename T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int) {
    return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int) {
    return *device = static_cast<T*>(host), cudaSuccess;
}
inline cudaError_t cudaHostGetFlags(unsigned int* flags, void*) {
    return *flags = cudaHostAllocMapped, cudaSuccess;
}
/// @}

enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost };
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};

/// @name Stream-ordered memory, which is allocated and freed by the call itself; pools do nothing
/// @{
using cudaMemPool_t = struct SimPool*;
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh,
};
template <typename T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t) {
    return cudaMalloc(pointer, bytes);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    return *pool = nullptr, cudaSuccess;
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) { return *pool = nullptr, cudaSuccess; }
inline cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
    return *static_cast<unsigned long long*>(value) = 0, cudaSuccess;
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone };
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    size_t maxSize;
};
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
    return *pool = nullptr, cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone,
    cudaMemAccessFlagsProtRead,
    cudaMemAccessFlagsProtReadWrite = 3,
};
struct cudaMemAccessDesc {
    cudaMemLocation location;
    cudaMemAccessFlags flags;
};
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) {
    return cudaSuccess;
}
template <typename T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t, cudaStream_t) {
    return cudaMalloc(pointer, bytes);
}
/// @}

/// @name Hints about managed memory, which have no effect
/// @{
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy,
};
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned int,
                                        cudaStream_t = nullptr) {
    return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
    return cudaSuccess;
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0,
                                            unsigned int = cudaMemAttachSingle) {
    return cudaSuccess;
}
/// @}

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged,
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

/// @name Device variables
/// @{
template <typename T>
cudaError_t cudaGetSymbolAddress(void** pointer, T& symbol) {
    sim::adopt_symbol(&symbol, sizeof(T));
    return *pointer = const_cast<std::remove_const_t<T>*>(&symbol), cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t* bytes, T&) {
    return *bytes = sizeof(T), cudaSuccess;
}
template <typename T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
    void* to = nullptr;
    if (kind != cudaMemcpyDeviceToDevice) return cudaMemcpyToSymbol(symbol, from, bytes, offset);
    cudaGetSymbolAddress(&to, symbol);
    return cudaMemcpy(static_cast<char*>(to) + offset, from, bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    void* from = nullptr;
    if (kind != cudaMemcpyDeviceToDevice) return cudaMemcpyFromSymbol(to, symbol, bytes, offset);
    cudaGetSymbolAddress(&from, symbol);
    return cudaMemcpy(to, static_cast<char*>(from) + offset, bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    cudaStreamSynchronize(stream);
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
    cudaStreamSynchronize(stream);
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
/// @}

inline cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                       cudaStream_t stream = nullptr) {
    cudaStreamSynchronize(stream);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
