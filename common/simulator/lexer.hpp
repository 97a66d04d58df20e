/// @file
/// @brief Splits C++ source into tokens, for the translator.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// A piece of the source: a word (identifier or number), a quoted text, comments and white space
/// ("blank"), or one character of anything else.
struct Token {
    enum Kind { word, quoted, blank, sign } kind;
    std::string text;
};

/// Splits a source into tokens. Joined, they are the source again.
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
                result.push_back({kind, text});
        }
        return result;
    }

 private:
    static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
    bool starts(std::string_view text) const { return source_.compare(at_, text.size(), text) == 0; }

    /// Moves to the next `end`, or past it.
    void skip_to(const std::string& end, bool past) {
        const std::size_t found = source_.find(end, at_);
        at_ = found == std::string::npos ? source_.size() : found + (past ? end.size() : 0);
    }

    Token::Kind skip_one() {
        const char c = source_[at_];
        if (std::isspace(static_cast<unsigned char>(c))) return ++at_, Token::blank;
        if (starts("//")) return skip_to("\n", false), Token::blank;
        if (starts("/*")) return at_ += 2, skip_to("*/", true), Token::blank;
        for (const char* const raw : {"R\"", "u8R\"", "uR\"", "UR\"", "LR\""}) {
            if (!starts(raw)) continue;
            const std::size_t quote = source_.find('"', at_),
                              open = source_.find_first_of("()\\\" \n", quote + 1);
            if (open == std::string::npos || source_[open] != '(') continue;  // no raw text
            return skip_to(")" + source_.substr(quote + 1, open - quote - 1) + "\"", true), Token::quoted;
        }
        if (c == '"' || c == '\'') return skip_quoted(c), Token::quoted;
        if (!is_word(c)) return ++at_, Token::sign;
        // A number may hold ' between digits, which is no quotation mark.
        const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
        while (is_word(source_[at_]) || (number && source_[at_] == '\'' && is_word(source_[at_ + 1]))) ++at_;
        return Token::word;
    }

    /// A quotation ends with its line at the latest, since `#error don't` does not begin one.
    void skip_quoted(char quote) {
        for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_)
            if (source_[at_] == '\\') ++at_;
        if (at_ < source_.size() && source_[at_] == quote) ++at_;
    }

    const std::string source_;
    std::size_t at_ = 0;
};
