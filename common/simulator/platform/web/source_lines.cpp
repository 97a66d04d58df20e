/// @file
/// @brief Web: lines of source code are texts in the program.
///
/// Whoever compiles instrumented code (tools/workbench/sites.mjs) has it store, before each call, the address
/// of a text, and pass it to each function that is called at an access: FILE:LINE, and in further lines those
/// of the calls that were inlined there, innermost first; none of them in a helper's file, whose accesses
/// have no lines: where they are called counts. In front of it is a 0, to which the byte before a "return
/// address" leads.
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
    if (!result.starts_with("_Z")) return result;  // the variable n is not the type whose code is n
    if (char* const readable = abi::__cxa_demangle(result.c_str(), nullptr, nullptr, nullptr)) {
        result = readable;
        std::free(readable);
    }
    return result;
}

Calls::Calls() { at_[0] = reinterpret_cast<std::uintptr_t>(sim_site); }
std::string Calls::line() const { return line_of(at_[0]); }

}  // namespace sim
