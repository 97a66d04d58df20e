/// @file
/// @brief Notices errors that a program discards.
#pragma once

#include "../../include/cuda_runtime.h"
#include "../../include/simulator/cooperation.h"

namespace sim {

/// Describes a call whose result the program discards. The translator writes `, ::sim::Discarded{…}` after
/// the call (translate/programs/discarded_errors.hpp), and the operator below passes the result to
/// `discard_error`.
struct Discarded {
    const char* call;
    Site site;
    explicit Discarded(const char* name, const char* file = __builtin_FILE(), int line = __builtin_LINE())
        : call(name), site{file, line} {}
};
inline void operator,(cudaError_t error, const Discarded& by) { discard_error(error, by.call, by.site); }

}  // namespace sim
