/// @file
/// @brief Code that shares values within a warp by `volatile` pointers and relies on the warp's lockstep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "../tokens.hpp"

/// Makes a parameter or variable `volatile int* s` a `::sim::LockstepPointer<int> s`, whose stores the lanes
/// of a warp do together. Only types of numbers have one, and, of variables, a template's `T`.
class VolatilePointers {
 public:
    static void translate(Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (tokens.is(i, "volatile")) translate_one(tokens, i);
    }

 private:
    static bool is_number(const Tokens& tokens, std::size_t i) {
        static constexpr const char* kNumbers[] = {"int",  "unsigned", "float", "double",
                                                   "long", "short",    "char"};
        return std::any_of(std::begin(kNumbers), std::end(kNumbers),
                           [&](const char* word) { return tokens.is(i, word); });
    }

    static void translate_one(Tokens& tokens, std::size_t at) {
        const std::size_t first = tokens.next(at), directive = tokens[at].directive;
        std::size_t star = first;
        while (is_number(tokens, star)) star = tokens.next(star);
        const bool parameterized = star == first && tokens.is(first, "T");
        if (parameterized) star = tokens.next(first);
        if (star == first || !tokens.is(star, "*")) return;
        const std::size_t name = tokens.next(star), after = tokens.next(name);
        if (!tokens.is_word(name) || after >= tokens.size() || tokens[after].directive != directive) return;
        const bool variable = tokens.is(after, "=") || tokens.is(after, ";");
        if (!variable && (parameterized || !(tokens.is(after, ",") || tokens.is(after, ")")))) return;
        tokens.text(at) = "::sim::LockstepPointer<";
        tokens.text(star) = "> ";
    }
};
