/// @file
/// @brief Tells the simulator which variables certainly depend on what a shuffle returns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "tokens.hpp"

/// Turns the statement `v += __shfl_down_sync(mask, v, d);` into `::sim::Chained{"v", …}, v += …;`. Does the
/// same for `v = v + shuffle;`, `v = max(v, shuffle);` and the broadcast `v = __shfl_sync(mask, v, lane);`.
/// Other statements are not marked, because they may not use the value that a shuffle returns.
class ShuffleChains {
 public:
    static void translate(Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); i = tokens.next(i))
            if (tokens[i].directive == 0 && begins_after(tokens, i)) translate_one(tokens, tokens.next(i));
    }

    /// Whether a statement begins after a token.
    static bool begins_after(const Tokens& tokens, std::size_t i) {
        if (is_one_of(tokens, i, {";", "{", "}", "else", "do"})) return true;
        if (!tokens.is(i, ")") || tokens.partner(i) == kNone) return false;
        return is_one_of(tokens, tokens.end_before(tokens.partner(i)) - 1, {"if", "for", "while"});
    }

 private:
    template <std::size_t kCount>
    static bool is_one_of(const Tokens& tokens, std::size_t i, const char* const (&words)[kCount]) {
        return std::any_of(std::begin(words), std::end(words),
                           [&](const char* word) { return tokens.is(i, word); });
    }

    /// @return The next occurrence of a sign in the same simple statement that is in no brackets, or kNone.
    static std::size_t find(const Tokens& tokens, std::size_t i, const char* sign) {
        for (; i < tokens.size() && !tokens.is(i, sign); ++i) {
            if (is_one_of(tokens, i, {";", "{", "}", "else", "do", "if", "for", "while"})) return kNone;
            if (!tokens.is(i, "(") && !tokens.is(i, "[")) continue;
            if (tokens.partner(i) == kNone) return kNone;
            i = tokens.partner(i);
        }
        return i < tokens.size() ? i : kNone;
    }

    /// @return The text of tokens, without blanks; empty if one of them is a quoted text.
    static std::string compact(const Tokens& tokens, std::size_t from, std::size_t to) {
        std::string text;
        for (std::size_t i = from; i < to; ++i) {
            if (tokens[i].kind == Token::quoted) return "";
            if (!tokens.is_blank(i)) text += tokens[i].text;
        }
        return text;
    }

    static bool is_broadcast(const Tokens& tokens, std::size_t i) {
        return is_one_of(tokens, i, {"__shfl_sync", "__shfl"});
    }

    /// @return The end of the shuffle that begins at a token, if it passes the value of `variable`; otherwise
    /// kNone.
    static std::size_t end_of_shuffle(const Tokens& tokens, std::size_t i, const std::string& variable) {
        const bool has_mask =
            is_one_of(tokens, i, {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"});
        if (!has_mask && !is_one_of(tokens, i, {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"}))
            return kNone;
        const std::size_t open = tokens.next(i), close = tokens.is(open, "(") ? tokens.partner(open) : kNone;
        if (close == kNone) return kNone;
        std::size_t value = open;
        if (has_mask) value = find(tokens, open + 1, ",");
        const std::size_t end = value < close ? find(tokens, value + 1, ",") : kNone;
        return end < close && compact(tokens, value + 1, end) == variable ? close + 1 : kNone;
    }

    static void translate_one(Tokens& tokens, std::size_t begin) {
        const std::size_t sign = find(tokens, begin, "="),
                          end = sign == kNone ? kNone : find(tokens, sign, ";");
        if (end == kNone || sign == begin || tokens.is(sign + 1, "=")) return;
        const bool folds = is_one_of(tokens, sign - 1, kFolds);
        const std::string variable = compact(tokens, begin, folds ? sign - 1 : sign);
        if (variable.empty()) return;
        const std::size_t first = tokens.next(sign), last = tokens.end_before(end);
        std::string fold = folds ? tokens[sign - 1].text : "";
        if (end_of_shuffle(tokens, first, variable) == last) {
            if (!folds && !is_broadcast(tokens, first))
                return;  // such code may shift the values, also past the last
        } else if (folds || !is_folded(tokens, first, last, variable, fold)) {
            return;
        }
        tokens.text(begin).insert(
            0, "::sim::Chained{\"" + variable + "\", '" + (fold.empty() ? "=" : fold) + "'}, ");
    }

    /// Whether tokens are `v + shuffle`, `shuffle + v`, `max(v, shuffle)` or `max(shuffle, v)`.
    static bool is_folded(const Tokens& tokens, std::size_t first, std::size_t last,
                          const std::string& variable, std::string& fold) {
        std::size_t sign = kNone;
        const std::size_t open = tokens.is(last - 1, ")") ? tokens.partner(last - 1) : kNone;
        const std::string function = open == kNone ? "" : compact(tokens, first, open);
        if (std::find(std::begin(kExtrema), std::end(kExtrema), function) != std::end(kExtrema)) {
            sign = find(tokens, open + 1, ",");
            first = tokens.next(open);
            last = tokens.end_before(last - 1);
        } else {
            for (const char* const each : kFolds) sign = std::min(sign, find(tokens, first, each));
        }
        if (sign >= last) return false;
        fold = tokens[sign].text;
        const std::size_t second = tokens.next(sign), end_of_first = tokens.end_before(sign);
        return (compact(tokens, first, end_of_first) == variable &&
                end_of_shuffle(tokens, second, variable) == last) ||
               (end_of_shuffle(tokens, first, variable) == end_of_first &&
                compact(tokens, second, last) == variable);
    }

    static constexpr const char* kFolds[] = {"+", "-", "*", "&", "|", "^"};
    static constexpr const char* kExtrema[] = {"max",   "min",  "std::max", "std::min", "::max",
                                               "::min", "fmax", "fmin",     "fmaxf",    "fminf"};
};
