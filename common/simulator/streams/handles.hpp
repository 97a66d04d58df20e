/// @file
/// @brief Streams' and events' handles, and what they refer to.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace sim {

/// @brief Objects by their handles.
///
/// A handle is a number that is never reused, so that its use after the object's destruction is detected.
template <typename Handle, typename T>
class Handles {
 public:
    Handle create(T thing) {
        const std::lock_guard<std::mutex> lock(lock_);
        const auto handle = reinterpret_cast<Handle>(++last_);
        things_.emplace(handle, std::move(thing));
        return handle;
    }
    bool destroy(Handle handle) {
        const std::lock_guard<std::mutex> lock(lock_);
        return things_.erase(handle) == 1;
    }
    /// @return Null for a handle that was not created, or that has been destroyed.
    T* find(Handle handle) {
        const std::lock_guard<std::mutex> lock(lock_);
        const auto found = things_.find(handle);
        return found == things_.end() ? nullptr : &found->second;
    }
    /// All objects, in the order in which they were created.
    std::map<Handle, T>& all() { return things_; }

 private:
    std::mutex lock_;
    std::map<Handle, T> things_;
    std::uintptr_t last_ = 0xff;  // 1 and 2 are CUDA's own streams
};

}  // namespace sim
