/// @file
/// @brief Keeps the types of kernels that a program passes on as `(void*)kernel`.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "../tokens.hpp"

/// Turns `(void*)kernel<int>` into `(void*)::sim::known(kernel<int>)`, which notes how to call the kernel.
class KernelPointers {
 public:
    void translate(Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens.is(i, "__global__")) add_kernel(tokens, i);
            if (kernels_.count(tokens[i].text) == 0 || !is_cast_to_void(tokens, i)) continue;
            tokens.text(i).insert(0, "::sim::known(");
            const std::size_t open = tokens.next(i);
            const bool has_types = tokens.is(open, "<") && tokens.partner(open) != kNone;
            tokens.text(has_types ? tokens.partner(open) : i) += ")";
        }
    }

 private:
    /// Adds the name of a kernel: the first word before a `(` that is not an attribute.
    void add_kernel(const Tokens& tokens, std::size_t i) {
        for (; i < tokens.size() && !tokens.is(i, ";") && !tokens.is(i, "{"); i = tokens.next(i)) {
            const std::string& word = tokens[i].text;
            if (!tokens.is_word(i) || !tokens.is(tokens.next(i), "(")) continue;
            if (word == "__launch_bounds__" || word == "__attribute__") {
                i = tokens.partner(tokens.next(i));
                if (i == kNone) return;
                continue;
            }
            kernels_.insert(word);
            return;
        }
    }

    /// Whether `(void*)`, perhaps with `&`, or `reinterpret_cast<void*>(` is before a token.
    static bool is_cast_to_void(const Tokens& tokens, std::size_t i) {
        std::size_t end = tokens.end_before(i);
        if (end > 0 && tokens.is(end - 1, "&")) end = tokens.end_before(end - 1);
        if (end > 0 && tokens.is(end - 1, "(")) end = tokens.end_before(end - 1);
        if (end == 0 || !(tokens.is(end - 1, ")") || tokens.is(end - 1, ">"))) return false;
        end = tokens.end_before(end - 1);
        while (end > 0 && tokens.is(end - 1, "*")) end = tokens.end_before(end - 1);
        return end > 0 && tokens.is(end - 1, "void");
    }

    std::set<std::string> kernels_;
};
