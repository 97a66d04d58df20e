/// @file
/// @brief How the functions that instrumented code calls at each access learn where it is.
#pragma once

#ifdef __wasm__
// WebAssembly has no return addresses. Whoever compiles the code passes the number of the access.
#define SIM_AND_SITE , const void* site
#define SIM_SITE site
#else
#define SIM_AND_SITE
#define SIM_SITE __builtin_return_address(0)
#endif
