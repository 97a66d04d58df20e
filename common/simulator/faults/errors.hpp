/// @file
/// @brief The error that a CUDA call returns, and the fault of a kernel, which later calls return again.
#pragma once

#include <string>

#include "cuda_runtime.h"
#include "simulator/fault.h"

namespace sim {

/// Makes `cudaGetLastError` return an error. @param[in] why What is wrong, if that is known.
/// @return The error.
cudaError_t set_error(cudaError_t error, std::string why = {});

/// Records that a grid has failed. `cudaGetErrorString` and `last_fault` return the message. If neither is
/// called, the message is printed when the next fault is set, when the fault is cleared, or when the program
/// ends. The error stays until `cudaDeviceReset`. If it is `cudaErrorInvalidValue`, the launch would have
/// been refused by CUDA: then the message is printed at once, and the error does not stay.
void set_fault(cudaError_t error, Fault fault);
/// Sets a fault of which only the message is known.
inline void set_fault(cudaError_t error, const std::string& message) {
    set_fault(error, Fault{.message = message});
}

cudaError_t sticky_error();  ///< the error of the fault that stays, or `cudaSuccess`
void forget_fault();         ///< clears the fault, after `tell_fault`
void tell_fault();           ///< prints the fault's message, unless it was printed or asked for

/// Prints a message on standard error. On a terminal, places such as kernels.cuh:12 are bold, unless NO_COLOR
/// is set.
void tell(const std::string& message);

/// Prints a mistake in a program that makes no call fail. If CUDA_SIM_STRICT is set, the program will end
/// with status 1. @param[in] of The kind of mistake, by default `what` itself. Only the first mistake of a
/// kind is printed.
void tell_mistake(const std::string& what, const std::string& of = {});

/// Prints a message when the program ends, unless a fault, an unchecked error or a mistake was reported: it
/// may be the cause.
void tell_at_end(std::string what);

/// Records that a call or launch has failed with the last error, although the program has not seen this
/// error: a launch returns none, and a program may discard that of a call. If the program never asks for the
/// last error, the first recorded failure is printed at the program's end.
void note_unseen_error(const std::string& what, Site site);
/// The first error that the program has not seen: what failed, where and why; empty if there is none.
std::string unseen_error();

/// Prints what host code wrongly uses, and the line of that code.
void tell_cpu_fault(const std::string& what);
/// Calls `tell_cpu_fault`, and aborts the program.
[[noreturn]] void fail_on_cpu(const char* what);

/// @name How calls end
/// @{
/// For calls that only ask about the device, and for invalid pointers: returns the call's own error.
cudaError_t answer(cudaError_t error);
/// For all other calls: a kernel's fault takes precedence over the call's own error.
cudaError_t finish(cudaError_t error, std::string why = {});
/// @}

}  // namespace sim
