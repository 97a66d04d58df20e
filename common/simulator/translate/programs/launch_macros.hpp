/// @file
/// @brief Macros for `<<<grid, block>>>`, which programs define so that editors do not report an error.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "../launches.hpp"

/// After `#define ARGS(a, b) <<<a, b>>>`, the body is a launch configuration, and `kernel ARGS(1, 2)(x)` is
/// `::sim::launch(SIM_KERNEL(kernel), ARGS(1, 2))(x)`.
class LaunchMacros {
 public:
    void translate(Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens.third(i, "<") != kNone) {
                define(tokens, i);
            } else if (names_.count(tokens[i].text) != 0 && !is_defined(tokens, i)) {
                use(tokens, i);
            }
        }
    }

 private:
    static bool is_defined(const Tokens& tokens, std::size_t name) {
        const std::size_t before = tokens.end_before(name) - 1;
        return tokens.is(before, "define") || tokens.is(before, "undef") || tokens.is(before, "ifdef") ||
               tokens.is(before, "ifndef");
    }

    void define(Tokens& tokens, std::size_t at) {
        std::size_t name = tokens.end_before(at) - 1;
        const bool has_parameters = tokens.is(name, ")");
        if (has_parameters) name = tokens.partner(name) - 1;
        if (!tokens.is_word(name) || !tokens.is(tokens.end_before(name) - 1, "define")) return;
        names_[tokens[name].text] = has_parameters;
        Launches launches(tokens);
        const std::size_t close = launches.find_close(at);
        launches.replace_three(at, "<", "::sim::launch_config(");
        launches.replace_three(close, ">", ")");
    }

    void use(Tokens& tokens, std::size_t i) {
        const std::size_t end = tokens.end_before(i), open = tokens.next(i);
        const std::size_t begin = Launches(tokens).kernel_begin(end, tokens[i].directive);
        if (begin == end) return;
        const bool has_arguments =
            names_.at(tokens[i].text) && tokens.is(open, "(") && tokens.partner(open) != kNone;
        tokens.text(begin).insert(0, "::sim::launch(SIM_KERNEL(");
        tokens.text(end - 1) += "), ";
        tokens.text(has_arguments ? tokens.partner(open) : i) += ")";
    }

    std::map<std::string, bool> names_;  ///< each macro's name, and whether it has parameters
};
