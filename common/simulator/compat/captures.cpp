/// @file
/// @brief Captures streams as graphs: keeps their work in the order of the calls, which no event contradicts.
#include <functional>
#include <string_view>
#include <utility>

#include "../streams.hpp"
#include "graphs.h"

namespace sim {
namespace {

Captured captured;

bool keep(const Operation& operation) {
    const std::string_view call = operation.call;
    if (!operation.is_kernel && call == "cudaEventRecord") return true;  // the order is kept anyway
    const auto type = operation.is_kernel                  ? cudaGraphNodeTypeKernel
                      : call.substr(0, 10) == "cudaMemset" ? cudaGraphNodeTypeMemset
                                                           : cudaGraphNodeTypeMemcpy;
    captured.emplace_back(type, [operation] { order(nullptr, operation); });
    return true;
}

/// Keeps a call that waits for all work before it.
bool keep(cudaGraphNodeType type, const std::function<void()>& call) {
    if (!are_captured()) return false;
    captured.emplace_back(type, [call] {
        wait_for(nullptr);
        call();
    });
    return true;
}

}  // namespace

bool begin_capture() { return std::exchange(capture, keep) == nullptr; }
Captured end_capture() {
    capture = nullptr;
    return std::exchange(captured, {});
}
bool are_captured() { return capture != nullptr; }

bool capture_host(const std::function<void()>& function) { return keep(cudaGraphNodeTypeHost, function); }
bool capture_launch(const std::function<void()>& launch) { return keep(cudaGraphNodeTypeKernel, launch); }

}  // namespace sim
