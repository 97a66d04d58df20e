/// @file
/// @brief What a CUDA C++ file is in plain C++20.
///
/// Four things in a `.cu` file are not C++, and each has one rule here. All else is left as it is,
/// line for line, so that messages and the debugger speak of the original file.
///
///     kernel<4><<<grid, block>>>(a, b);
///         ::sim::launch(SIM_KERNEL(kernel<4>), ::sim::launch_config(grid, block))(a, b);
///     __shared__ int s[32], t;
///         typedef int sim_s[32], sim_t; auto& s = ::sim::shared_variable<sim_s>([] {}, "s"); auto& t = …
///     extern __shared__ int s[];
///         int* const s = ::sim::dynamic_shared; (void)s;
///     clock()
///         ::sim::device_clock(), since C++ has a function of that name already
///
/// The time it takes is proportional to the length of the file, whatever the file holds.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lexer.hpp"

/// Changes the texts of tokens where CUDA differs from C++, and no others.
class Translator {
 public:
    explicit Translator(std::vector<Token> tokens) : tokens_(std::move(tokens)) { match_brackets(); }

    std::string translate() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (three(i, "<")) {
                translate_launch(i);
            } else if (is(i, "extern") && is(next(i), "__shared__")) {
                translate_dynamic_shared(i);
            } else if (is(i, "__shared__")) {
                i = translate_static_shared(i);
            } else if (is(i, "clock") && is(next(i), "(") && !is(i - 1, ":") && !is(i - 1, ".")) {
                tokens_[i].text = "::sim::device_clock";
            }
        }
        return join(0, tokens_.size());
    }

 private:
    bool is(std::size_t i, const char* text) const { return i < tokens_.size() && tokens_[i].text == text; }
    bool is_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::word; }
    bool is_blank(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::blank; }
    bool three(std::size_t i, const char* text) const {
        return is(i, text) && is(i + 1, text) && is(i + 2, text);
    }
    /// The next token that is not blank; past the last one, an index that no token has.
    std::size_t next(std::size_t i) const {
        do ++i;
        while (is_blank(i));
        return i;
    }

    std::string join(std::size_t from, std::size_t to) const {
        std::string text;
        for (std::size_t i = from; i < to && i < tokens_.size(); ++i) text += tokens_[i].text;
        return text;
    }

    [[noreturn]] void fail(std::size_t at, const std::string& what) const {
        std::size_t line = 1;
        for (const char c : join(0, at)) line += c == '\n';
        throw std::runtime_error(std::to_string(line) + ": error: " + what);
    }

    /// Notes for each bracket where its partner is. `<` and `>` are a template's, unless they are left over.
    void match_brackets() {
        partner_.assign(tokens_.size(), kNone);
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (is(i, "(") || is(i, "[") || is(i, "{") || is(i, "<")) open.push_back(i);
            const char* const opens = is(i, ")")                   ? "("
                                      : is(i, "]")                 ? "["
                                      : is(i, "}")                 ? "{"
                                      : is(i, ">") && !is_arrow(i) ? "<"
                                                                   : nullptr;
            if (opens == nullptr) continue;
            while (*opens != '<' && !open.empty() && is(open.back(), "<")) open.pop_back();  // less than
            if (open.empty() || !is(open.back(), opens)) continue;
            partner_[i] = open.back();
            partner_[open.back()] = i;
            open.pop_back();
        }
    }
    bool is_arrow(std::size_t i) const { return is(i, ">") && is(i - 1, "-"); }

    /// Past a token, or past all that is in brackets. Counts how many templates have been opened.
    std::size_t pass(std::size_t i, int& templates) const {
        if (is(i, "(") || is(i, "[") || is(i, "{"))
            return partner_[i] == kNone ? tokens_.size() : partner_[i] + 1;
        if (is(i, "<") && !is(i + 1, "<") && !is(i - 1, "<")) ++templates;  // and no shift
        if (is(i, ">") && templates > 0) --templates;
        return i + 1;
    }

    /// The beginning of a kernel's name that ends before `end`: `a::b<c, d>`, `x.y`, `(*p)`, `p[i]`.
    std::size_t kernel_begin(std::size_t end) const {
        std::size_t i = end;
        while (i > 0) {
            if (is_arrow(i - 1) || (is(i - 1, ":") && is(i - 2, ":"))) {
                i -= 2;
            } else if (is(i - 1, ">") || is(i - 1, ")") || is(i - 1, "]")) {
                if (partner_[i - 1] == kNone) fail(i - 1, "'" + tokens_[i - 1].text + "' closes nothing");
                i = partner_[i - 1];
            } else if (is(i - 1, ".") || is_word(i - 1)) {
                --i;
            } else {
                break;
            }
        }
        return i;
    }

    void translate_launch(std::size_t at) {
        std::size_t end = at;
        while (is_blank(end - 1)) --end;
        const std::size_t begin = kernel_begin(end);
        if (begin == end) fail(at, "there is no kernel before <<<");
        int templates = 0;
        std::size_t close = at + 3;
        // >>>( closes the launch, unless it closes three templates that the configuration has opened.
        while (templates >= 3 || !three(close, ">") || !is(next(close + 2), "(")) {
            if (close >= tokens_.size() || is(close, ";") || three(close, "<"))
                fail(at, "<<< is not followed by >>>(");
            close = pass(close, templates);
        }
        tokens_[begin].text.insert(0, "::sim::launch(SIM_KERNEL(");
        tokens_[end - 1].text += ")";
        replace_three(at, ", ::sim::launch_config(");
        replace_three(close, "))");
    }

    void replace_three(std::size_t i, const char* text) {
        tokens_[i].text = text;
        tokens_[i + 1].text.clear();
        tokens_[i + 2].text.clear();
    }

    /// Past `__align__(16)` or `alignas(16)`, if there is one.
    std::size_t after_alignment(std::size_t i) const {
        if (!is(i, "__align__") && !is(i, "alignas")) return i;
        const std::size_t open = next(i);
        return is(open, "(") && partner_[open] != kNone ? next(partner_[open]) : tokens_.size();
    }

    void translate_dynamic_shared(std::size_t at) {
        const std::size_t type = after_alignment(next(next(at)));
        std::size_t name = type;
        while (next(name) < tokens_.size() && !is(next(name), "[") && !is(name, ";")) name = next(name);
        const std::size_t open = next(name), close = next(open);
        if (name == type || !is_word(name) || !is(close, "]") || !is(next(close), ";"))
            fail(at, "extern __shared__ declares one array without a size, T name[]");
        for (std::size_t i = at; i < type; ++i)  // dynamic shared memory is aligned to 16 bytes
            if (!is_blank(i)) std::erase_if(tokens_[i].text, [](char c) { return c != '\n'; });
        tokens_[open].text = " = ";
        tokens_[close].text = "::sim::dynamic_shared; (void)" + tokens_[name].text;
        tokens_[name].text.insert(0, "* const ");
    }

    /// The declaration becomes one of types, and each of its variables a reference to shared memory.
    /// @return Where the declaration ends.
    std::size_t translate_static_shared(std::size_t at) {
        std::string references;
        int templates = 0;
        const std::size_t first = next(at), type = after_alignment(first);
        std::string alignment;
        if (type != first) alignment = ", " + join(next(first) + 1, partner_[next(first)]);
        std::size_t i = type;
        for (; !is(i, ";"); i = pass(i, templates)) {
            if (i >= tokens_.size() || is(i, "=") || is(i, "{"))
                fail(at, "__shared__ declares variables without initializers");
            const bool declared = is(next(i), "[") || is(next(i), ",") || is(next(i), ";");
            if (templates != 0 || !is_word(i) || !declared) continue;
            const std::string name = tokens_[i].text;
            references += " [[maybe_unused]] auto& " + name + " = ::sim::shared_variable<sim_" + name +
                          ">([] {}, \"" + name + "\"" + alignment + ");";
            tokens_[i].text.insert(0, "sim_");
        }
        if (references.empty()) fail(at, "__shared__ declares no variable");
        for (std::size_t k = at; k < type; ++k)
            if (!is_blank(k)) std::erase_if(tokens_[k].text, [](char c) { return c != '\n'; });
        tokens_[type].text.insert(0, "typedef ");
        tokens_[i].text = ";" + references;
        return i;
    }

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<Token> tokens_;
    std::vector<std::size_t> partner_;  ///< of each bracket; kNone for one without, and for all else
};
