/// @file
/// @brief How `kernel<<<grid, block>>>(…)` is written in C++.
#pragma once

#include "tokens.hpp"

/// Translates the launches among a file's tokens.
class Launches {
 public:
    explicit Launches(Tokens& tokens) : tokens_(tokens) {}

    /// Translates the launch whose `<<<` is at `at`.
    void translate(std::size_t at) {
        const std::size_t end = tokens_.end_before(at), begin = kernel_begin(end, tokens_[at].directive);
        if (begin == end) tokens_.fail(at, "there is no kernel before <<<");
        const std::size_t close = find_close(at);
        tokens_.text(begin).insert(0, "::sim::launch(SIM_KERNEL(");
        tokens_.text(end - 1) += ")";
        replace_three(at, "<", ", ::sim::launch_config(");
        replace_three(close, ">", "))");
    }

    /// Removes the blanks in the `<< <` at `at` and in its `>> >`. clang does not accept them.
    void close_up(std::size_t at) {
        const std::size_t close = find_close(at);
        replace_three(at, "<", "<<<");
        replace_three(close, ">", ">>>");
    }

    /// @return Where the kernel's name or expression that ends before `end` begins: `a::b<c, d>`, `x.y`,
    /// `(*p)`, `p[i]`, `a##b`.
    std::size_t kernel_begin(std::size_t end, std::size_t directive) const {
        std::size_t i = end;
        while (i > 0 && tokens_[i - 1].directive == directive) {
            if (is_joint(i)) {
                i = tokens_.end_before(i - (tokens_.is(i - 1, ".") ? 1 : 2));
            } else if (tokens_.is(i - 1, ">") || tokens_.is(i - 1, ")") || tokens_.is(i - 1, "]")) {
                const std::size_t open = tokens_.partner(i - 1);
                if (open == kNone) tokens_.fail(i - 1, "'" + tokens_[i - 1].text + "' closes nothing");
                i = tokens_.is(open, "<") ? tokens_.end_before(open) : open;
            } else if (tokens_.is_word(i - 1)) {
                --i;
                if (is_joint(tokens_.end_before(i))) i = tokens_.end_before(i);
            } else {
                break;
            }
        }
        return i;
    }

    /// @return The `>>>` that belongs to the `<<<` at `at`.
    std::size_t find_close(std::size_t at) const {
        int templates = 0;
        std::size_t close = tokens_.third(at, "<") + 1;
        // >>>( closes the launch, unless it closes three templates that were opened in the configuration.
        while (templates >= 3 || !is_close(close)) {
            if (close >= tokens_.size() || tokens_.is(close, ";") || tokens_.third(close, "<") != kNone)
                tokens_.fail(at, "<<< is not followed by >>>(");
            close = tokens_.pass(close, templates);
        }
        return close;
    }

    void replace_three(std::size_t i, const char* sign, const char* text) {
        const std::size_t last = tokens_.third(i, sign);
        tokens_.text(i) = text;
        tokens_.text(i + 1).clear();
        tokens_.text(last).clear();
    }

 private:
    /// Whether two parts of a name are joined before `end`: `.`, `->`, `::` or, in a macro, `##`.
    bool is_joint(std::size_t end) const {
        if (end < 2) return false;
        return tokens_.is(end - 1, ".") || tokens_.is_arrow(end - 1) ||
               (tokens_.is(end - 1, ":") && tokens_.is(end - 2, ":")) ||
               (tokens_.is(end - 1, "#") && tokens_.is(end - 2, "#"));
    }

    bool is_close(std::size_t i) const {
        const std::size_t last = tokens_.third(i, ">");
        if (last == kNone) return false;
        const std::size_t after = tokens_.next(last);
        if (tokens_.is(after, "(")) return true;
        const std::size_t directive = tokens_[i].directive;  // a macro may end here
        return directive != 0 && (after >= tokens_.size() || tokens_[after].directive != directive);
    }

    Tokens& tokens_;
};
