/// @file
/// @brief Tells the simulator the names of a kernel's parameters.
#pragma once

#include <cstddef>
#include <string>

#include "tokens.hpp"

/// Finds what the translator writes after a kernel's definition: the names of its parameters.
class KernelParameters {
 public:
    explicit KernelParameters(const Tokens& tokens) : tokens_(tokens) {}

    /// @param at The `__global__` of a function.
    /// @param[out] text What to write after the function.
    /// @return The brace that ends the function; kNone if the function is only declared, or has an unusual
    /// form.
    std::size_t find(std::size_t at, std::string& text) const {
        const std::size_t body = tokens_.body(at);
        if (body == kNone || !tokens_.is(tokens_.end_before(body) - 1, ")")) return kNone;
        const std::size_t close = tokens_.end_before(body) - 1, open = tokens_.partner(close);
        if (open == kNone || open < at) return kNone;
        std::size_t name = tokens_.end_before(open) - 1;
        if (tokens_.is(name, ">") && tokens_.partner(name) != kNone)  // a specialization
            name = tokens_.end_before(tokens_.partner(name)) - 1;
        if (!tokens_.is_word(name)) return kNone;
        text = " SIM_PARAMETERS(" + tokens_[name].text + ", \"" + names(open, close) + "\")";
        return tokens_.partner(body);
    }

 private:
    /// The names between parentheses, separated by commas.
    std::string names(std::size_t open, std::size_t close) const {
        std::string all, name;
        int templates = 0;
        bool has_name = false;  // what follows are its dimensions or its default
        for (std::size_t i = tokens_.next(open); i < close; i = tokens_.pass(i, templates)) {
            if (templates == 0 && tokens_.is(i, ",")) {
                all += name + ",";
                name.clear();
                has_name = false;
            } else if (tokens_.is(i, "=") || tokens_.is(i, "[")) {
                has_name = true;
            } else if (!has_name && !tokens_.is_blank(i)) {
                name = templates == 0 && tokens_.is_word(i) ? tokens_[i].text : "";
            }
        }
        return all + name;
    }

    const Tokens& tokens_;
};
