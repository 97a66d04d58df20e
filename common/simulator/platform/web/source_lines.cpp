/// @file
/// @brief Web: the lines of source code are strings in the program.
///
/// tools/workbench/sites.mjs makes instrumented code store the address of a string in `sim_site` before each
/// call, and pass such an address to each function that is called at an access. The string is FILE:LINE of
/// the code, and on further lines that of each call into which the code was inlined, innermost first. Lines
/// in helpers' files are left out: the line of the helper's caller counts. A 0 precedes each string, because
/// `lines_of` may be given the address before the string, as it is given the address before a return address
/// on Linux.
#include "../source_lines.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <sstream>

#include "access.hpp"
#include "host.hpp"

extern "C" const char kNowhere[] = "\0";
const char* sim_site = kNowhere + 1;

namespace sim {

std::vector<std::string> lines_of(std::uintptr_t at) {
    const char* text = reinterpret_cast<const char*>(at);
    if (*text == 0) ++text;
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    return lines;
}

std::string line_of(std::uintptr_t at) {
    const std::vector<std::string> lines = lines_of(at);
    return lines.empty() ? "" : lines.front();
}

std::string function_of(const void* address) {
    std::string result(512, '\0');
    result.resize(platform::name_of(address, result.data(), result.size()));
    if (!result.starts_with("_Z")) return result;  // a variable n is not __int128, whose mangled name is n
    if (char* const readable = abi::__cxa_demangle(result.c_str(), nullptr, nullptr, nullptr)) {
        result = readable;
        std::free(readable);
    }
    return result;
}

Calls::Calls() { at_[0] = reinterpret_cast<std::uintptr_t>(sim_site); }
std::string Calls::line() const { return line_of(at_[0]); }

}  // namespace sim
