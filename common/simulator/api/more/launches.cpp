/// @file
/// @brief The runtime API of api/more: launches by functions such as cudaLaunchKernel.
#include "launches.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace sim {
namespace {

std::mutex noting;
/// How to bind the arguments of each kernel. The map is static in a function, because initializers of a
/// program's variables may note kernels before this file's variables exist.
std::map<const void*, Bind*>& noted() {
    static std::map<const void*, Bind*> kernels;
    return kernels;
}

}  // namespace

void note_kernel(const void* kernel, Bind* bind) {
    const std::lock_guard<std::mutex> lock(noting);
    noted()[kernel] = bind;
}

BoundKernel bind_noted(const void* kernel, void** arguments) {
    Bind* bind = nullptr;
    {
        const std::lock_guard<std::mutex> lock(noting);
        if (const auto found = noted().find(kernel); found != noted().end()) bind = found->second;
    }
    if (bind == nullptr) return nullptr;
    std::vector<Argument> all;
    const auto note = [](void* to, Argument one) { static_cast<std::vector<Argument>*>(to)->push_back(one); };
    const ThreadCall call = bind(kernel, arguments, note, &all);
    const std::shared_ptr<const void> owner(call.object, call.destroy);
    return [kernel, call, all, owner](const LaunchConfig& config, Site site) {
        launch_grid({"a kernel", kernel, site}, config, call, all.data(), all.size());
    };
}

cudaError_t launch_noted(const void* kernel, void** arguments, const LaunchConfig& config, Site site) {
    const BoundKernel bound = bind_noted(kernel, arguments);
    if (!bound) return cudaErrorInvalidDeviceFunction;
    bound(config, site);
    return cudaPeekAtLastError();
}

}  // namespace sim
