/// @file
/// @brief Lets clang find host code that reads or writes device variables (editor.h).
#pragma once

#include <cstddef>
#include <string>

#include "../tokens.hpp"

/// Turns `__device__ int x;` into `__device__ SIM_ON_DEVICE int x;`. clang then warns of uses in host
/// functions. Lambda expressions in a kernel are device code, although no attribute says so: `[&](int i) {…}`
/// becomes `[&] SIM_UNCHECKED (int i) {…}`.
class DeviceVariables {
 public:
    static void translate(Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i].directive != 0) continue;
            const bool is_device = tokens.is(i, "__device__");
            if ((is_device || tokens.is(i, "__constant__")) && declares_variable(tokens, i))
                tokens.text(i) += " SIM_ON_DEVICE";
            else if (is_device || tokens.is(i, "__global__"))
                mark_lambdas(tokens, i);
        }
    }

 private:
    /// Whether a word makes a declaration one that is not marked: of a constant, whose value the host may
    /// know, of a managed variable, or of a type.
    static bool is_exempt(const Tokens& tokens, std::size_t i) {
        for (const char* const word :
             {"const", "constexpr", "__managed__", "struct", "class", "union", "enum"})
            if (tokens.is(i, word)) return true;
        return false;
    }

    static bool declares_variable(const Tokens& tokens, std::size_t at) {
        for (std::size_t end = tokens.end_before(at); end > 0; end = tokens.end_before(end - 1)) {
            const std::size_t before = end - 1;
            if (tokens[before].directive != 0 || tokens.is(before, ";") || tokens.is(before, "{") ||
                tokens.is(before, "}"))
                break;
            if (!tokens.is_word(before) || is_exempt(tokens, before)) return false;
        }
        int templates = 0;
        for (std::size_t i = at; i < tokens.size(); i = tokens.pass(i, templates)) {
            if (tokens.is(i, "(") || is_exempt(tokens, i)) return false;
            if (tokens.is(i, "=") || tokens.is(i, "[") || tokens.is(i, ";") || tokens.is(i, "{")) return true;
        }
        return false;
    }

    /// Marks the lambda expressions in the body of a function.
    static void mark_lambdas(Tokens& tokens, std::size_t at) {
        const std::size_t open = tokens.body(at);
        if (open == kNone) return;
        for (std::size_t i = open; i < tokens.partner(open); ++i) {
            const std::size_t before = tokens.end_before(i) - 1, close = tokens.partner(i);
            const bool is_index = (tokens.is_word(before) && !tokens.is(before, "return")) ||
                                  tokens.is(before, "]") || tokens.is(before, ")");
            if (!tokens.is(i, "[") || close == kNone || is_index) continue;
            const std::size_t after = tokens.next(close);
            if (tokens.is(after, "(")) tokens.text(close) += " SIM_UNCHECKED ";
            if (tokens.is(after, "{")) tokens.text(close) += " SIM_UNCHECKED () ";
        }
    }
};
