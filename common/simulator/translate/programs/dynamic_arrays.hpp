/// @file
/// @brief Warns of two dynamic shared arrays in one function: they are the same memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../tokens.hpp"

/// Warns about a function that uses several `extern __shared__` arrays, which all begin at the same address.
/// This is no error, because a kernel may use the memory a second time, under another name, on purpose.
class DynamicArrays {
 public:
    static void translate(Tokens& tokens) {
        std::vector<Array> arrays;
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (tokens.is(i, "__shared__") && tokens[i].directive == 0) declare(tokens, i, arrays);
        if (arrays.size() < 2) return;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if ((!tokens.is(i, "__global__") && !tokens.is(i, "__device__")) || tokens[i].directive != 0)
                continue;
            const std::size_t open = tokens.body(i);
            if (open == kNone) continue;
            look_at_function(tokens, open, arrays);
            i = tokens.partner(open);
        }
    }

 private:
    struct Array {
        std::string name;
        std::size_t declared, end;  ///< where the array is declared, and where its scope ends
    };

    static void declare(const Tokens& tokens, std::size_t at, std::vector<Array>& arrays) {
        const std::size_t before = tokens.end_before(at) - 1;
        if (!tokens.is(before, "extern") && !tokens.is(tokens.next(at), "extern")) return;
        int templates = 0;
        std::size_t name = kNone, i = at;
        for (; i < tokens.size() && !tokens.is(i, "[") && !tokens.is(i, ";"); i = tokens.pass(i, templates))
            if (tokens.is_word(i)) name = i;
        if (name == kNone || !tokens.is(i, "[")) return;
        std::size_t end = tokens.size();
        for (std::size_t open = 0; open < at; ++open)
            if (tokens.is(open, "{") && tokens.partner(open) != kNone && tokens.partner(open) > at)
                end = tokens.partner(open);
        arrays.push_back({tokens[name].text, name, end});
    }

    static void look_at_function(Tokens& tokens, std::size_t open, const std::vector<Array>& arrays) {
        const Array* first = nullptr;
        for (std::size_t i = open; i < tokens.partner(open); ++i) {
            const std::size_t before = tokens.end_before(i) - 1;
            // Skips words that name something other than the array: a new variable or a member.
            const bool is_declared = tokens.is_word(before) && !tokens.is(before, "return");
            if (!tokens.is_word(i) || is_declared || tokens.is(before, ".") || tokens.is_arrow(before))
                continue;
            for (const Array& array : arrays) {
                if (tokens[i].text != array.name || i <= array.declared || i >= array.end) continue;
                if (first == nullptr) first = &array;
                if (first->name == array.name) continue;
                tokens.text(i).insert(0,
                                      "_Pragma(\"GCC warning \\\"" + first->name + " and " + array.name +
                                          " are the same memory: all extern __shared__ arrays begin at the "
                                          "same address. Declare one, and use pointers into it\\\"\") ");
                return;
            }
        }
    }
};
