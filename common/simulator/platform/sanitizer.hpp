/// @file
/// @brief Calls that inform AddressSanitizer, or ask it. In other builds, the functions do nothing.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SIM_ADDRESS_SANITIZER
#endif
#ifdef SIM_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
namespace sim {
constexpr bool kAddressSanitizer = true;
}
#else
extern "C" {  // as in ThreadSanitizer's header, which <memory> of g++ 13 includes in interleaved code
inline void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
inline void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
inline void __asan_poison_memory_region(const volatile void*, std::size_t) {}
inline void __asan_unpoison_memory_region(const volatile void*, std::size_t) {}
inline int __asan_report_present() { return 0; }
}
namespace sim {
constexpr bool kAddressSanitizer = false;
}
#endif
