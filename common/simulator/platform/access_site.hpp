/// @file
/// @brief What a platform offers to the functions that instrumented code calls at each access: where the code
/// is and, if the processor does not trap, whether the access is allowed.
#pragma once

#include <cstddef>

#ifdef __wasm__
// WebAssembly has no return addresses. Instead, the compiled code passes the site of each access
// (web/source_lines.cpp).
#define SIM_AND_SITE , const void* site
#define SIM_SITE site
#include "web/access.hpp"
#else
#define SIM_AND_SITE
#define SIM_SITE __builtin_return_address(0)
namespace sim::platform {
inline void require_access(const volatile void*, std::size_t, bool, const void*) {}
}  // namespace sim::platform
#endif
