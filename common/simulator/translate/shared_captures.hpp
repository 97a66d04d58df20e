/// @file
/// @brief Lets lambdas use shared variables without a capture.
#pragma once

#include <cstddef>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shuffle_chains.hpp"
#include "tokens.hpp"

/// In CUDA, shared variables are static, and lambdas use them without a capture. In C++ they are local
/// references, which `[=]` would copy, and pointers. The shared variables that a lambda's body names are
/// therefore added to its captures: references by reference, pointers by copy.
class SharedCaptures {
 public:
    explicit SharedCaptures(Tokens& tokens) : tokens_(tokens) {}

    /// Adds a variable that is declared inside `depth` braces.
    /// @param capture How lambdas capture it: `&s` or `s`.
    void declare(const std::string& capture, std::size_t depth) {
        declared_.emplace_back(depth, capture);
        in_scope_.insert(capture);
    }
    /// Forgets the variables that are declared inside more than `depth` braces.
    void leave(std::size_t depth) {
        for (; !declared_.empty() && declared_.back().first > depth; declared_.pop_back())
            in_scope_.erase(in_scope_.find(declared_.back().second));
    }

    /// Adds the captures to the lambda whose `[` is at `at`, if one begins there.
    void translate(std::size_t at) {
        while (!ends_.empty() && ends_.back() < at) ends_.pop_back();
        if (in_scope_.empty() || ends_.size() == kDeepest) return;
        const std::size_t first = tokens_.next(at), close = tokens_.partner(at), body = body_of(at);
        if (body == kNone) return;
        if (tokens_.is(first, "&") && (tokens_.is(tokens_.next(first), ",") || tokens_.next(first) == close))
            return;  // it captures all by reference
        ends_.push_back(tokens_.partner(body));

        std::set<std::string> known = captured(at);
        for (std::size_t i = close; i < body; ++i)
            if (is_parameter(i)) known.insert(tokens_[i].text);
        std::string separator = first == close ? "" : ", ", added;
        for (std::size_t i = body; i < tokens_.partner(body); ++i) {
            const std::string& name = tokens_[i].text;
            std::string capture = "&" + name;
            if (!in_scope_.contains(capture)) capture = tokens_.is(first, "=") ? "" : name;
            if (!in_scope_.contains(capture) || is_member(i) || !known.insert(name).second) continue;
            added += separator + capture;
            separator = ", ";
        }
        tokens_.text(close).insert(0, added);
    }

 private:
    /// @return The brace that begins the lambda's body; kNone if the `[` at `at` begins no lambda.
    std::size_t body_of(std::size_t at) const {
        std::size_t i = tokens_.partner(at), before = tokens_.end_before(at) - 1;
        const bool ends_operand =
            tokens_.is_word(before) || tokens_.is(before, ")") || tokens_.is(before, "]");
        if (ends_operand && !tokens_.is(before, "return") && !ShuffleChains::begins_after(tokens_, before))
            return kNone;
        if (tokens_.is(before, "[") || tokens_.is(at + 1, "[")) return kNone;  // an attribute
        while (tokens_.is(before, "&")) before = tokens_.end_before(before) - 1;
        if (tokens_.is(before, "auto")) return kNone;  // auto& [a, b]
        while (i != kNone) {
            i = tokens_.next(i);
            if (tokens_.is(i, "{")) return tokens_.partner(i) == kNone ? kNone : i;
            if (tokens_.is(i, "(") || tokens_.is(i, "<") || (tokens_.is(i, "[") && tokens_.is(i + 1, "[")))
                i = tokens_.partner(i);
            else if (!tokens_.is_word(i) &&
                     (i >= tokens_.size() || !std::strchr("->:&*.", tokens_[i].text[0])))
                return kNone;
        }
        return kNone;
    }

    /// The names in the list of captures whose `[` is at `open`.
    std::set<std::string> captured(std::size_t open) const {
        std::set<std::string> names;
        int templates = 0;
        bool begins = true;
        for (std::size_t i = open + 1; i < tokens_.partner(open); i = tokens_.pass(i, templates)) {
            if (begins && tokens_.is_word(i)) names.insert(tokens_[i].text), begins = false;
            if (tokens_.is(i, ",")) begins = true;
        }
        return names;
    }
    /// Whether a token before a lambda's body is the name of a parameter, and not an operand as in
    /// `sizeof(s)`.
    bool is_parameter(std::size_t i) const {
        const std::size_t after = tokens_.next(i);
        return tokens_.is_word(i) && !tokens_.is(tokens_.end_before(i) - 1, "(") &&
               (tokens_.is(after, ",") || tokens_.is(after, ")") || tokens_.is(after, "=") ||
                tokens_.is(after, "["));
    }
    bool is_member(std::size_t i) const {
        const std::size_t before = tokens_.end_before(i) - 1;
        return tokens_.is(before, ".") || tokens_.is_arrow(before) ||
               (tokens_.is(before, ":") && tokens_.is(before - 1, ":"));
    }

    /// The code in a lambda is read once more for it, so a lambda inside this many others is left unchanged.
    static constexpr std::size_t kDeepest = 16;

    Tokens& tokens_;
    std::vector<std::pair<std::size_t, std::string>> declared_;  ///< depths and captures of those in scope
    std::multiset<std::string> in_scope_;                        ///< their captures
    std::vector<std::size_t> ends_;  ///< of the lambdas that are translated and contain the current token
};
