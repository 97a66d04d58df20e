/// @file
/// @brief What the functions that instrumented code calls at each access need of the platform: where the code
/// is, and, without a processor that refuses accesses, whether it may have one.
#pragma once

#include <cstddef>

#ifdef __wasm__
// WebAssembly has no return addresses. Whoever compiles the code passes the site of the access
// (web/source_lines.cpp).
#define SIM_AND_SITE , const void* site
#define SIM_SITE site
namespace sim::platform {
/// Called before each access of instrumented code: a trap if it is not allowed.
void require_access(const volatile void* address, std::size_t bytes, bool is_store, const void* site);
}  // namespace sim::platform
#else
#define SIM_AND_SITE
#define SIM_SITE __builtin_return_address(0)
namespace sim::platform {
inline void require_access(const volatile void*, std::size_t, bool, const void*) {}
}  // namespace sim::platform
#endif
