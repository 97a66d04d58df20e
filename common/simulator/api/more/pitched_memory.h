/// @file
/// @brief The runtime API: two- and three-dimensional memory, whose rows are `pitch` bytes apart.
#pragma once

#include "../../include/cuda_runtime.h"

struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaMemcpy3DParms {
    void* srcArray;  ///< must be null: the simulator has no CUDA arrays
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    void* dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
constexpr cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
    return {pointer, pitch, width, height};
}
constexpr cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    return {width, height, depth};
}
constexpr cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }

template <typename T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * height);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
    *memory = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, extent.height * extent.depth);
}

inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; ++row)
        error = cudaMemcpy(static_cast<char*>(to) + row * to_pitch,
                           static_cast<const char*>(from) + row * from_pitch, width, kind);
    return error;
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr) {
    cudaStreamSynchronize(stream);
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; ++row)
        error = cudaMemset(static_cast<char*>(pointer) + row * pitch, value, width);
    return error;
}
inline cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream = nullptr) {
    cudaStreamSynchronize(stream);
    const cudaError_t error = cudaMemset2D(pointer, pitch, value, width, height);
    return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
    if (p->srcArray != nullptr || p->dstArray != nullptr) return cudaErrorNotSupported;
    const auto layer = [](const cudaPitchedPtr& memory, const cudaPos& at, size_t z) {
        return static_cast<char*>(memory.ptr) + ((at.z + z) * memory.ysize + at.y) * memory.pitch + at.x;
    };
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < p->extent.depth && error == cudaSuccess; ++z)
        error = cudaMemcpy2D(layer(p->dstPtr, p->dstPos, z), p->dstPtr.pitch, layer(p->srcPtr, p->srcPos, z),
                             p->srcPtr.pitch, p->extent.width, p->extent.height, p->kind);
    return error;
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream = nullptr) {
    cudaStreamSynchronize(stream);
    return cudaMemcpy3D(p);
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; ++z)
        error = cudaMemset2D(static_cast<char*>(memory.ptr) + z * memory.ysize * memory.pitch, memory.pitch,
                             value, extent.width, extent.height);
    return error;
}
