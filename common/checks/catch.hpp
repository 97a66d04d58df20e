/// @file
/// @brief Catch2's header, by the name that the installed version has.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>  // version 3
using Catch::Approx;
#else
#include <catch2/catch.hpp>  // version 2
#endif

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

/// @return What a call throws, in words; empty if it returns.
template <typename Call>
std::string thrown_by(const Call& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

namespace Catch {
/// What a check of a broken kernel says that has found nothing, and of any other what it has found.
template <>
struct StringMaker<std::optional<std::string>> {
    /// In words.
    static std::string convert(const std::optional<std::string>& wrong) {
        return wrong ? *wrong : "nothing wrong was found; this kernel is broken, and a check should say so";
    }
};
}  // namespace Catch

/// @brief Says why a check is skipped. ctest shows it as skipped, with either version of Catch2.
inline void skip_check(const char* why) { std::printf("check skipped: %s\n", why); }

/// Whether AddressSanitizer ends the program at a fault that a check would find afterwards. No check includes
/// the simulator, which asks the same.
#ifdef __has_feature
constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif
