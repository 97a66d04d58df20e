/// @file
/// @brief Errors that a program does not check.
#pragma once

#include "../../include/cuda_runtime.h"
#include "../../include/simulator/cooperation.h"

namespace sim {

/// Written after a call whose result is discarded (translate/programs/discarded_errors.hpp).
struct Discarded {
    const char* call;
    Site site;
    explicit Discarded(const char* name, const char* file = __builtin_FILE(), int line = __builtin_LINE())
        : call(name), site{file, line} {}
};
inline void operator,(cudaError_t error, const Discarded& by) { discard_error(error, by.call, by.site); }

}  // namespace sim
