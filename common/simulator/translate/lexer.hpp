/// @file
/// @brief Splits C++ source into tokens, for the translator.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// A piece of the source: a word (identifier or number), a quoted text, a blank (white space, comments, and
/// code in `#if 0`), or any other single character.
struct Token {
    enum Kind { word, quoted, blank, sign } kind;
    std::string text;
    std::size_t directive = 0;  ///< the number of its preprocessor directive, from 1; 0 outside of directives
};

/// Splits a source into tokens. Joined, their texts are the source again.
class Lexer {
 public:
    explicit Lexer(const std::string& source) : source_(source) {}

    std::vector<Token> tokens() {
        std::vector<Token> result;
        while (at_ < source_.size()) {
            const std::size_t start = at_;
            const Token::Kind kind = skip_one();
            const std::string text = source_.substr(start, at_ - start);
            if (kind == Token::blank && !result.empty() && result.back().kind == Token::blank)
                result.back().text += text;
            else
                result.push_back({kind, text, in_directive_ ? directives_ : 0});
        }
        return result;
    }

 private:
    static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
    bool starts(std::string_view text) const { return source_.compare(at_, text.size(), text) == 0; }

    /// Moves to the next occurrence of `end` or, if `past`, to what follows it.
    void skip_to(const std::string& end, bool past) {
        const std::size_t found = source_.find(end, at_);
        at_ = found == std::string::npos ? source_.size() : found + (past ? end.size() : 0);
    }

    Token::Kind skip_one() {
        const char c = source_[at_];
        if (const std::size_t joined = joined_line(at_)) return at_ += joined, Token::blank;
        if (c == '\n') return ++at_, line_begins_ = true, in_directive_ = false, Token::blank;
        if (std::isspace(static_cast<unsigned char>(c))) return ++at_, Token::blank;
        if (starts("//")) return skip_line(), Token::blank;
        if (starts("/*")) return at_ += 2, skip_to("*/", true), Token::blank;
        if (c == '#' && line_begins_) {
            if (is_dead_code()) return skip_dead_code(), Token::blank;
            in_directive_ = true;
            ++directives_;
        }
        line_begins_ = false;
        return skip_token();
    }

    Token::Kind skip_token() {
        const char c = source_[at_];
        for (const char* const raw : {"R\"", "u8R\"", "uR\"", "UR\"", "LR\""}) {
            if (!starts(raw)) continue;
            const std::size_t quote = source_.find('"', at_),
                              open = source_.find_first_of("()\\\" \n", quote + 1);
            if (open == std::string::npos || source_[open] != '(') continue;  // not a raw string
            return skip_to(")" + source_.substr(quote + 1, open - quote - 1) + "\"", true), Token::quoted;
        }
        if (c == '"' || c == '\'') return skip_quoted(c), Token::quoted;
        if (!is_word(c)) return ++at_, Token::sign;
        // A number may contain ' between digits, which is not a quotation mark.
        const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
        while (is_word(source_[at_]) || (number && source_[at_] == '\'' && is_word(source_[at_ + 1]))) ++at_;
        return Token::word;
    }

    /// Moves past a quoted text, at most to the end of its line: the `'` of `#error don't` begins no
    /// quotation.
    void skip_quoted(char quote) {
        for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_)
            if (source_[at_] == '\\') ++at_;
        if (at_ < source_.size() && source_[at_] == quote) ++at_;
    }

    /// @return The length of a `\` and the line end after it, which make the next line continue this one; 0
    /// if there is no such `\` at `at`. As in compilers, blanks may be between the two.
    std::size_t joined_line(std::size_t at) const {
        if (at >= source_.size() || source_[at] != '\\') return 0;
        const std::size_t end = source_.find_first_not_of(" \t\v\f\r", at + 1);
        return end != std::string::npos && source_[end] == '\n' ? end + 1 - at : 0;
    }

    /// Moves to the end of the line, including the lines that continue it.
    void skip_line() {
        while (at_ < source_.size() && source_[at_] != '\n') {
            const std::size_t joined = joined_line(at_);
            at_ += joined == 0 ? 1 : joined;
        }
    }

    /// @return The first eight characters, without blanks, of the directive that begins at this `#`, such as
    /// `if0`.
    std::string directive() const {
        std::string words;
        for (std::size_t i = at_ + 1; i < source_.size() && source_[i] != '\n' && words.size() < 8; ++i)
            if (source_[i] != ' ' && source_[i] != '\t') words += source_[i];
        return words;
    }
    bool is_dead_code() const {
        const std::string words = directive(), rest = words.substr(std::min<std::size_t>(words.size(), 3));
        return words.compare(0, 3, "if0") == 0 && (rest.empty() || rest[0] == '/');  // a comment may follow
    }

    /// Moves to the `#else`, `#elif` or `#endif` of an `#if 0`.
    void skip_dead_code() {
        int depth = 0;
        do {
            const std::string words = directive();
            const bool begins = words.compare(0, 2, "if") == 0, ends = words.compare(0, 5, "endif") == 0;
            depth += begins - ends;
            if (depth == 0 || (depth == 1 && !begins && words.compare(0, 2, "el") == 0)) return;
            do {
                skip_line();
                if (at_ < source_.size()) ++at_;
                while (starts(" ") || starts("\t")) ++at_;
            } while (at_ < source_.size() && source_[at_] != '#');
        } while (at_ < source_.size());
    }

    const std::string source_;
    std::size_t at_ = 0;
    bool line_begins_ = true, in_directive_ = false;
    std::size_t directives_ = 0;
};
