/// @file
/// @brief Every CUDA call is checked, in every build: `CUDA_CHECK(cudaMalloc(…));`
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

/// A CUDA call that failed: the call, its place, and CUDA's own words.
class CudaError : public std::runtime_error {
 public:
    /// @param[in] call The call as it is written, in `line` of `file`.
    CudaError(cudaError_t code, const char* call, const char* file, int line)
        : std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                             cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")"),
          code_(code) {}

    /// CUDA's number for it.
    cudaError_t code() const { return code_; }

 private:
    cudaError_t code_;
};

/// What CUDA_CHECK calls. @throws CudaError unless `code` is cudaSuccess.
inline void cuda_check(cudaError_t code, const char* call, const char* file, int line) {
    if (code != cudaSuccess) throw CudaError(code, call, file, line);
}

/// @brief Makes the device as new after a kernel's fault, and forgets the error, for checks that go on.
///
/// A fault would answer every later call, too. What was in device memory is gone.
inline void forget_fault() {
    cudaDeviceReset();
    cudaGetLastError();  // which calls since the fault, such as cudaFree, have set again
}

/// Throws CudaError if the call fails. A launch is checked by `CUDA_CHECK(cudaGetLastError())`
/// right behind it; what goes wrong while a kernel runs shows at the next call that waits for it.
#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)
