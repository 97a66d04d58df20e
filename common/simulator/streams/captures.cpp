/// @file
/// @brief Captures streams as graphs: records their work in the order of the calls. In this order, an event
/// comes before the work that waits for it.
#include "captures.hpp"

#include <functional>
#include <string_view>
#include <utility>

#include "streams.hpp"

namespace sim {
namespace {

Captured captured;

void capture_operation(const Operation& operation) {
    const std::string_view call = operation.call;
    if (!operation.is_kernel && call == "cudaEventRecord") return;  // the order of the calls is kept anyway
    const auto type = operation.is_kernel              ? Kept::kernel
                      : call.starts_with("cudaMemset") ? Kept::set
                                                       : Kept::copy;
    captured.emplace_back(type, [operation] { enqueue(nullptr, operation); });
}

}  // namespace

bool begin_capture() { return std::exchange(capture, capture_operation) == nullptr; }
Captured end_capture() {
    capture = nullptr;
    return std::exchange(captured, {});
}
bool are_captured() { return capture != nullptr; }

bool capture_host(const std::function<void()>& function) {
    if (are_captured()) captured.emplace_back(Kept::host, function);
    return are_captured();
}

}  // namespace sim
