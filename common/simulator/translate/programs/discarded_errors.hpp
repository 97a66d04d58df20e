/// @file
/// @brief Tells the simulator the results of those CUDA calls whose results a program discards.
#pragma once

#include <cctype>
#include <cstddef>
#include <set>
#include <string>

#include "../tokens.hpp"

/// Turns the statement `cudaFree(p);` into `cudaFree(p), ::sim::Discarded{"cudaFree"};`. Does not change uses
/// of macros and classes of the program's own whose names look like those of CUDA's functions.
class DiscardedErrors {
 public:
    void translate(Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens.is(i, "define") || tokens.is(i, "class") || tokens.is(i, "struct")) {
                i = tokens.next(i);
                if (i < tokens.size()) names_.insert(tokens[i].text);
                continue;
            }
            if (!is_runtime(tokens, i) || names_.count(tokens[i].text) != 0 || !begins_statement(tokens, i))
                continue;
            const std::size_t open = tokens.next(i),
                              close = tokens.is(open, "(") ? tokens.partner(open) : kNone;
            if (close == kNone || !tokens.is(tokens.next(close), ";")) continue;
            tokens.text(close) += ", ::sim::Discarded{\"" + tokens[i].text + "\"}";
        }
    }

 private:
    static bool is_runtime(const Tokens& tokens, std::size_t i) {
        const std::string& word = tokens[i].text;
        return tokens.is_word(i) && word.compare(0, 4, "cuda") == 0 && word.size() > 4 &&
               std::isupper(static_cast<unsigned char>(word[4])) != 0;
    }

    static bool begins_statement(const Tokens& tokens, std::size_t i) {
        const std::size_t end = tokens.end_before(i);
        if (end == 0 || tokens[end - 1].directive != tokens[i].directive) return false;
        const std::size_t before = end - 1;
        for (const char* const sign : {";", "{", "}", "else", "do"})
            if (tokens.is(before, sign)) return true;
        if (!tokens.is(before, ")") || tokens.partner(before) == kNone) return false;
        const std::size_t word = tokens.end_before(tokens.partner(before)) - 1;
        return tokens.is(word, "if") || tokens.is(word, "for") || tokens.is(word, "while");
    }

    std::set<std::string> names_;
};
