/// @file
/// @brief Every CUDA call is checked, in every build: `CUDA_CHECK(cudaMalloc(…));`
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <stdexcept>

/// A failed CUDA call: its place in the source, its source text, and CUDA's description of the error.
class CudaError : public std::runtime_error {
 public:
    /// @param[in] call The call's source text, at `file`:`line`.
    CudaError(cudaError_t code, const char* call, const char* file, int line)
        : std::runtime_error(described(code, call, file, line).data()), code_(code) {}

    /// CUDA's error code.
    cudaError_t code() const { return code_; }

 private:
    /// The message, cut off if it is too long. A std::string would take longer to compile, in every file.
    static std::array<char, 1024> described(cudaError_t code, const char* call, const char* file, int line) {
        std::array<char, 1024> text;
        std::snprintf(text.data(), text.size(), "%s:%d: %s: %s (%s)", file, line, call,
                      cudaGetErrorString(code), cudaGetErrorName(code));
        return text;
    }

    cudaError_t code_;
};

/// Implements CUDA_CHECK. @throws CudaError unless `code` is cudaSuccess.
inline void cuda_check(cudaError_t code, const char* call, const char* file, int line) {
    if (code != cudaSuccess) throw CudaError(code, call, file, line);
}

/// @brief Resets the device after a kernel's fault and clears the error, so that checks can continue.
///
/// Without a reset, every later call fails with the same error. The contents of device memory are lost.
inline void forget_fault() {
    cudaDeviceReset();
    cudaGetLastError();  // calls since the fault, such as cudaFree, have set the error again
}

/// Throws CudaError if the call fails. After a launch, write `CUDA_CHECK(cudaGetLastError())`.
/// An error while the kernel runs is reported by the next call that waits for it.
#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)
