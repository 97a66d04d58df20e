/// @file
/// @brief A file's tokens, and how the translator moves among them.
#pragma once

#include <cstddef>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lexer.hpp"

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// The tokens of a file, with the partner of each bracket.
class Tokens {
 public:
    explicit Tokens(std::vector<Token> tokens) : tokens_(std::move(tokens)) { match_brackets(); }

    std::size_t size() const { return tokens_.size(); }
    const Token& operator[](std::size_t i) const { return tokens_[i]; }
    std::string& text(std::size_t i) { return tokens_[i].text; }

    bool is(std::size_t i, const char* text) const { return i < size() && tokens_[i].text == text; }
    bool is_word(std::size_t i) const { return i < size() && tokens_[i].kind == Token::word; }
    bool is_blank(std::size_t i) const { return i < size() && tokens_[i].kind == Token::blank; }
    bool is_arrow(std::size_t i) const { return is(i, ">") && is(i - 1, "-"); }

    /// @return The next token that is not blank; after the last such token, an index past all tokens.
    std::size_t next(std::size_t i) const {
        do ++i;
        while (is_blank(i));
        return i;
    }
    /// @return The index past the last token before `i` that is not blank.
    std::size_t end_before(std::size_t i) const {
        while (i > 0 && is_blank(i - 1)) --i;
        return i;
    }

    /// @return The last of three tokens that are `sign`, of which the first is at `i`: `<<<` or, as some
    /// editors write it, `<< <`. kNone if there are no three.
    std::size_t third(std::size_t i, const char* sign) const {
        if (!is(i, sign) || !is(i + 1, sign)) return kNone;
        const std::size_t last = next(i + 1);
        return is(last, sign) && tokens_[last].directive == tokens_[i].directive ? last : kNone;
    }

    /// The bracket that belongs to the one at `i`, or kNone.
    std::size_t partner(std::size_t i) const { return partner_[i]; }

    /// @return The index past a token or, if it opens brackets, past these brackets.
    /// @param[in,out] templates How many `<` are open, each of which may begin a template's arguments.
    std::size_t pass(std::size_t i, int& templates) const {
        if (is(i, "(") || is(i, "[") || is(i, "{")) return partner_[i] == kNone ? size() : partner_[i] + 1;
        if (is(i, "<") && !is(i + 1, "<") && !is(i - 1, "<")) ++templates;  // but not a shift
        if (is(i, ">") && templates > 0) --templates;
        return i + 1;
    }

    /// @return Where the body of a function begins; kNone if it has no body. @param i A token of its
    /// declaration.
    std::size_t body(std::size_t i) const {
        int templates = 0;
        while (i < size() && !is(i, ";") && !is(i, "{")) i = pass(i, templates);
        return is(i, "{") && partner(i) != kNone ? i : kNone;
    }

    /// Removes a token's text except its line ends, so that later lines keep their numbers.
    void erase(std::size_t i) {
        std::erase_if(tokens_[i].text, [](char c) { return c != '\n'; });
    }

    std::string join(std::size_t from, std::size_t to) const {
        std::string text;
        for (std::size_t i = from; i < to && i < size(); ++i) text += tokens_[i].text;
        return text;
    }

    /// Like `join`, but without comments and line ends: for copies of tokens whose originals keep the lines.
    std::string in_one_line(std::size_t from, std::size_t to) const {
        std::string text;
        for (std::size_t i = from; i < to && i < size(); ++i) text += is_blank(i) ? " " : tokens_[i].text;
        std::erase(text, '\n');
        return text;
    }

    /// @throws std::runtime_error with a token's line and, after a `#line` directive with a name, that name.
    [[noreturn]] void fail(std::size_t at, const std::string& what) const {
        std::size_t number = 1;
        std::string file;
        std::istringstream rows(join(0, at));
        for (std::string row, word; std::getline(rows, row) && !rows.eof(); ++number)
            if (std::istringstream words(row); words >> word && word == "#line")
                words >> number >> std::quoted(file), --number;
        throw std::runtime_error(file + ":" + std::to_string(number) + ": error: " + what);
    }

 private:
    /// Finds the partner of each bracket. `<` and `>` are a template's if they match. A directive's brackets
    /// match only each other.
    void match_brackets() {
        partner_.assign(size(), kNone);
        std::vector<std::size_t> open;
        std::size_t directive = 0, outside = 0;  // `outside`: the open brackets before the directive
        for (std::size_t i = 0; i < size(); ++i) {
            if (tokens_[i].directive != directive && !is_blank(i)) {
                if (directive == 0) outside = open.size();
                open.resize(outside);
                directive = tokens_[i].directive;
            }
            if (is(i, "(") || is(i, "[") || is(i, "{") || is(i, "<")) open.push_back(i);
            const char* const opens = is(i, ")")                   ? "("
                                      : is(i, "]")                 ? "["
                                      : is(i, "}")                 ? "{"
                                      : is(i, ">") && !is_arrow(i) ? "<"
                                                                   : nullptr;
            if (opens == nullptr) continue;
            const std::size_t floor = directive == 0 ? 0 : outside;
            while (*opens != '<' && open.size() > floor && is(open.back(), "<"))
                open.pop_back();  // this one means "less than"
            if (open.size() <= floor || !is(open.back(), opens)) continue;
            partner_[i] = open.back();
            partner_[open.back()] = i;
            open.pop_back();
        }
    }

    std::vector<Token> tokens_;
    std::vector<std::size_t> partner_;  ///< each bracket's; kNone for all other tokens
};
