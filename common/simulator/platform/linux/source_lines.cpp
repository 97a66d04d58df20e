/// @file
/// @brief Lines of source code, by libbacktrace, which comes with g++.
#include "../source_lines.hpp"

#include <cxxabi.h>
#include <unwind.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

// Declarations from libbacktrace, whose header is among g++'s own, where other compilers don't look.
struct backtrace_state;
using OnError = void (*)(void* data, const char* message, int number);
using OnLine = int (*)(void* data, std::uintptr_t at, const char* file, int line, const char* function);
using OnSymbol = void (*)(void* data, std::uintptr_t at, const char* name, std::uintptr_t, std::uintptr_t);
extern "C" {
backtrace_state* backtrace_create_state(const char* program, int threaded, OnError, void* data);
int backtrace_pcinfo(backtrace_state*, std::uintptr_t at, OnLine, OnError, void* data);
int backtrace_syminfo(backtrace_state*, std::uintptr_t at, OnSymbol, OnError, void* data);
}

#ifndef SIM_HELPERS
#define SIM_HELPERS ""
#endif

namespace sim {
namespace {

struct Unwinding {
    std::array<std::uintptr_t, 24>& at;
    std::size_t count = 0;
};

_Unwind_Reason_Code add_call(_Unwind_Context* context, void* data) {
    Unwinding& unwinding = *static_cast<Unwinding*>(data);
    int is_exact = 0;  // 0: `at` is the instruction after a call
    const std::uintptr_t at = _Unwind_GetIPInfo(context, &is_exact);
    if (at == 0 || unwinding.count == unwinding.at.size()) return _URC_END_OF_STACK;
    unwinding.at[unwinding.count++] = is_exact != 0 ? at : at - 1;
    return _URC_NO_REASON;
}

/// Whether a file is in one of the folders that SIM_HELPERS names, separated by colons.
[[maybe_unused]] bool is_helper(std::string_view file) {
    for (std::string_view folders = SIM_HELPERS; !folders.empty();) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        if (!folder.empty() && file.starts_with(folder)) return true;
        folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    }
    return false;
}

/// Called by libbacktrace for an instruction: first for each function that was inlined there, then for the
/// function that contains the instruction.
[[maybe_unused]] int note_line(void* data, std::uintptr_t, const char* file, int line, const char*) {
    const std::string_view name = file == nullptr ? "" : file;
    if (!name.ends_with(".cu") && !name.ends_with(".cuh")) return 0;
    if (is_helper(name)) return 0;
    static_cast<std::vector<std::string>*>(data)->push_back(std::string(name) + ":" + std::to_string(line));
    return 0;  // continue
}

/// Called by libbacktrace with the program's symbol at an address. The symbols are used because with -g1,
/// clang's debug information has no functions.
[[maybe_unused]] void note_function(void* data, std::uintptr_t, const char* name, std::uintptr_t,
                                    std::uintptr_t) {
    if (name != nullptr) *static_cast<std::string*>(data) = name;
}

[[maybe_unused]] void ignore_error(void*, const char*, int) {}

#ifdef SIM_BACKTRACE
/// libbacktrace's state; null if there is no memory for it.
backtrace_state* state() {
    static backtrace_state* const result = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
    return result;
}
#endif

}  // namespace

Calls::Calls() {
    Unwinding unwinding{at_};
    _Unwind_Backtrace(add_call, &unwinding);
}

std::vector<std::string> lines_of([[maybe_unused]] std::uintptr_t at) {
    std::vector<std::string> result;
#ifdef SIM_BACKTRACE
    if (state() != nullptr) backtrace_pcinfo(state(), at, note_line, ignore_error, &result);
#endif
    return result;
}

std::string line_of(std::uintptr_t at) {
    const std::vector<std::string> lines = lines_of(at);
    return lines.empty() ? "" : lines.front();
}

std::string function_of([[maybe_unused]] const void* address) {
    std::string result;
#ifdef SIM_BACKTRACE
    if (state() == nullptr) return result;
    backtrace_syminfo(state(), reinterpret_cast<std::uintptr_t>(address), note_function, ignore_error,
                      &result);
    if (!result.starts_with("_Z")) return result;  // a variable n is not __int128, whose mangled name is n
    if (char* const readable = abi::__cxa_demangle(result.c_str(), nullptr, nullptr, nullptr)) {
        result = readable;
        std::free(readable);
    }
#endif
    return result;
}

std::string Calls::line() const {
    std::string result;
    for (const std::uintptr_t at : at_) {
        if (at == 0 || !result.empty()) break;
        result = line_of(at);
    }
    return result;
}

}  // namespace sim
