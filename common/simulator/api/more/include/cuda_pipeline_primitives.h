/// @file
/// @brief Asynchronous copies to shared memory. Here, they are done when the call returns.
#pragma once

#include "../prelude.h"

inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
    memcpy(to, from, bytes - zeros);
    memset(static_cast<char*>(to) + bytes - zeros, 0, zeros);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(size_t) {}
