/// @file
/// @brief The error that a CUDA call returns, and the fault of a kernel, which later calls return again.
#pragma once

#include <string>

#include "cuda_runtime.h"
#include "simulator/fault.h"

namespace sim {

/// Makes `cudaGetLastError` return an error. @param[in] why What is wrong, if that is known. @return the
/// error
cudaError_t set_error(cudaError_t error, std::string why = {});

/// Records that a grid has failed. `cudaGetErrorString` and `last_fault` return the message; if neither is
/// called, it is printed when the fault is cleared or the program ends. The error stays until
/// `cudaDeviceReset`, unless it is `cudaErrorInvalidValue`: then the launch was refused.
void set_fault(cudaError_t error, Fault fault);
/// Sets a fault of which only the message is known.
inline void set_fault(cudaError_t error, const std::string& message) {
    set_fault(error, Fault{.message = message});
}

cudaError_t sticky_error();  ///< the error of the fault that stays, or `cudaSuccess`
void forget_fault();
void tell_fault();  ///< prints the message, unless the program has asked for it

/// Prints a message on standard error. A terminal shows the lines of code that it names in bold, unless
/// NO_COLOR is set.
void tell(const std::string& message);

/// Prints what is wrong with a program although no call fails. The program ends with status 1 if
/// CUDA_SIM_STRICT is set. @param[in] of The kind of mistake, of which only the first is printed; `what` if
/// empty.
void tell_mistake(const std::string& what, const std::string& of = {});

/// Prints a message when the program ends, unless a fault, an unchecked error or a mistake is reported, which
/// may be the cause.
void tell_at_end(std::string what);

/// Records the call or launch that has failed with the last error, and its line: a launch returns no error,
/// and a program may discard that of a call. If the program never asks for the last error, the first recorded
/// one is printed at the program's end.
void note_unseen_error(const std::string& what, Site site);
/// The first error that the program has not seen: what failed, where and why; empty if there is none.
std::string unseen_error();

/// Prints what host code wrongly uses, and the line of that code.
void tell_cpu_fault(const std::string& what);
/// Prints the same, and ends the program.
[[noreturn]] void fail_on_cpu(const char* what);

/// @name How calls end
/// @{
/// For calls that only ask about the device, and for invalid pointers: returns the call's own error.
cudaError_t answer(cudaError_t error);
/// For all other calls: a kernel's fault takes precedence over the call's own error.
cudaError_t finish(cudaError_t error, std::string why = {});
/// @}

}  // namespace sim
