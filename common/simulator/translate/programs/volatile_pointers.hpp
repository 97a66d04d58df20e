/// @file
/// @brief Translates `volatile` arrays and pointers, by which old code shares values within a warp, relying
/// on the lockstep of its lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "../tokens.hpp"

/// Turns `__shared__ volatile int s[32]` into `__shared__ ::sim::LockstepElement<int> s[32]`, and a parameter
/// or variable `volatile int* s` into `::sim::LockstepPointer<int> s`: the lanes of a warp store through
/// these in lockstep. A parameter `volatile T* s`, where only the compiler knows what
/// `T` is, keeps its type, from which a call may determine `T`; instead, the function's body begins with a
/// lockstep pointer `s`.
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
        std::size_t first = tokens.next(at);
        const std::size_t directive = tokens[at].directive, before = tokens.end_before(at) - 1;
        const bool is_shared = tokens.is(first, "__shared__") || tokens.is(before, "__shared__");
        if (tokens.is(first, "__shared__")) first = tokens.next(first);
        std::size_t star = first;
        while (is_number(tokens, star)) star = tokens.next(star);
        const bool is_named = star == first && tokens.is_word(first);
        if (is_named) star = tokens.next(first);
        if (star == first) return;
        if (is_shared && tokens.is_word(star) && tokens.is(tokens.next(star), "[")) {
            tokens.erase(at);
            tokens.text(first).insert(0, is_named ? "::sim::AnyLockstepElement<" : "::sim::LockstepElement<");
            tokens.text(tokens.end_before(star) - 1) += ">";
            return;
        }
        if (!tokens.is(star, "*")) return;
        const std::size_t name = tokens.next(star), after = tokens.next(name);
        if (!tokens.is_word(name) || after >= tokens.size() || tokens[after].directive != directive) return;
        if (tokens.is(after, "=") || tokens.is(after, ";")) {
            if (!tokens.is(next_sign(tokens, after, ";", ","), ";"))
                return;  // the declaration has several variables
        } else if (!tokens.is(after, ",") && !tokens.is(after, ")")) {
            return;
        } else if (is_named) {
            return add_to_body(tokens, tokens[first].text, name);
        }
        tokens.text(at) = is_named ? "::sim::AnyLockstepPointer<" : "::sim::LockstepPointer<";
        tokens.text(star) = "> ";
    }

    static void add_to_body(Tokens& tokens, const std::string& type, std::size_t name) {
        const std::size_t body = tokens.next(next_sign(tokens, name, ")", ")"));
        if (!tokens.is(body, "{")) return;
        const std::string word = tokens[name].text;
        tokens.text(name).insert(0, "sim_");
        tokens.text(body).append(" ::sim::AnyLockstepPointer<" + type + "> " + word + " = sim_" + word + ";");
    }

    /// @return The next occurrence of one of two signs that is in no brackets and no template's arguments.
    static std::size_t next_sign(const Tokens& tokens, std::size_t i, const char* one, const char* other) {
        while (i < tokens.size() && !tokens.is(i, one) && !tokens.is(i, other)) {
            const std::size_t partner = tokens.partner(i);
            i = (partner != kNone && partner > i ? partner : i) + 1;
        }
        return i;
    }
};
