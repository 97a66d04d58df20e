/// @file
/// @brief The runtime API: errors.
#include "errors.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "../instrument/observer.hpp"

namespace sim {
namespace {

// CUDA has a last error for each host thread, and a kernel's fault for the whole process.
thread_local cudaError_t last_error = cudaSuccess;
std::mutex fault_lock;
cudaError_t fault_error = cudaSuccess;
// Never destroyed, since they are read at exit: the fault, and its message after CUDA's text.
Fault& the_fault = *new Fault;
std::string& fault_string = *new std::string;
bool fault_is_told = true;

}  // namespace

cudaError_t set_error(cudaError_t error) { return last_error = error; }

void tell_fault() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    if (!fault_is_told) std::fprintf(stderr, "simulator: %s\n", the_fault.message.c_str());
    fault_is_told = true;
}

void set_fault(cudaError_t error, Fault fault) {
    [[maybe_unused]] static const int at_exit = std::atexit([] {
        if (fault_is_told) return;
        tell_fault();
        std::fflush(nullptr);
        if (observer != nullptr) observer->ends();
        std::_Exit(1);
    });
    tell_fault();
    std::string words = std::string(cudaGetErrorString(error)) + ": " + fault.message;
    const std::lock_guard<std::mutex> lock(fault_lock);
    last_error = error;
    if (error != cudaErrorInvalidValue) fault_error = error;
    the_fault = std::move(fault);
    fault_string = std::move(words);
    fault_is_told = false;
    if (error == cudaErrorInvalidValue) {  // a refused launch, whose message is printed at once
        std::fprintf(stderr, "simulator: %s\n", the_fault.message.c_str());
        fault_is_told = true;
    }
}

cudaError_t sticky_error() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    return fault_error;
}

void forget_fault() {
    tell_fault();
    const std::lock_guard<std::mutex> lock(fault_lock);
    fault_error = cudaSuccess;
    the_fault = {};
}

const char* last_fault() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    fault_is_told = true;
    return the_fault.message.c_str();
}

Fault fault() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    return the_fault;
}

cudaError_t answer(cudaError_t error) { return error == cudaSuccess ? error : set_error(error); }

cudaError_t finish(cudaError_t error) {
    const cudaError_t sticky = sticky_error();
    return answer(sticky != cudaSuccess ? sticky : error);
}

}  // namespace sim

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define X(name, value, text) \
    case name: return #name;
        SIM_ERRORS(X)
#undef X
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    if (error != cudaSuccess && error == sim::sticky_error()) {
        sim::last_fault();
        return sim::fault_string.c_str();
    }
    switch (error) {
#define X(name, value, text) \
    case name: return text;
        SIM_ERRORS(X)
#undef X
    }
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() { return sim::last_error; }

cudaError_t cudaGetLastError() { return std::exchange(sim::last_error, cudaSuccess); }
