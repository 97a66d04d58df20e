/// @file
/// @brief Settings of the simulator, which a GPU ignores, and a grader's seed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace check_detail {

/// The seed of a grader's inputs, so that students can't know them: COURSE_SEED, or 0.
inline std::uint64_t graders_seed() {
    const char* const seed = std::getenv("COURSE_SEED");
    return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0;
}

}  // namespace check_detail

/// Whether an environment variable has this value.
inline bool is_set(const char* name, const char* value) {
    const char* const now = std::getenv(name);
    return now != nullptr && std::strcmp(now, value) == 0;
}

/// Sets an environment variable, such as CUDA_SIM_SEED, during its lifetime. No other thread may run CUDA
/// calls while it is created or destroyed.
class Setting {
 public:
    /// Gives the variable `name` the value.
    Setting(std::string name, std::uint64_t value) : name_(std::move(name)) {
        if (const char* const before = std::getenv(name_.c_str())) before_ = before;
        setenv(name_.c_str(), std::to_string(value).c_str(), 1);
    }
    ~Setting() {
        if (before_)
            setenv(name_.c_str(), before_->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

 private:
    const std::string name_;
    std::optional<std::string> before_;
};
