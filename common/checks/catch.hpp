/// @file
/// @brief Includes Catch2's header, by its name in the installed version.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>  // version 3
#include <catch2/catch_translate_exception.hpp>
using Catch::Approx;
#pragma GCC diagnostic ignored "-Wparentheses"  // g++ 13 warns of each CHECK(a == b)
#else
#include <catch2/catch.hpp>  // version 2
#endif

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "record.hpp"
#if __has_include(<simulator/fault.h>)
#include <simulator/fault.h>
#endif

/// @return The message of the exception that a call throws; empty if it returns.
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
/// How Catch2 shows a finding. Having none is an error only if the kernel is broken on purpose.
template <>
struct StringMaker<std::optional<std::string>> {
    /// The finding's text.
    static std::string convert(const std::optional<std::string>& wrong) {
        return wrong ? *wrong
                     : "nothing was found, but this kernel is broken on purpose: the check should have found "
                       "its fault";
    }
};
}  // namespace Catch

/// Records an exception that ends a check, with the kernel's fault if it reports one.
CATCH_TRANSLATE_EXCEPTION(const std::exception& error) {
    const std::string what = error.what();
    record(what, [&](Json& json) {
        json.add("kind", "error");
#if __has_include(<simulator/fault.h>)
        const sim::Fault fault = sim::fault();
        if (!fault.message.empty() && what.find(fault.message) != std::string::npos)
            json.object("fault", [&](Json& its) { fault.write(its); });
#endif
    });
    return what;
}

/// @brief Prints why a check is skipped. ctest shows it as skipped, with either version of Catch2.
inline void skip_check(const char* why) { std::printf("check skipped: %s\n", why); }

/// Whether AddressSanitizer ends the program at a fault, before a check can find it.
#ifdef __has_feature
constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif
