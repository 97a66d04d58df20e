/// @file
/// @brief How declarations of shared memory are written in C++.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tokens.hpp"

/// Translates the declarations with `__shared__` among a file's tokens.
class SharedDeclarations {
 public:
    explicit SharedDeclarations(Tokens& tokens) : tokens_(tokens) {}

    /// @param begin       Where the statement begins.
    /// @param at          The statement's `__shared__`.
    /// @param in_function Whether the statement is in a function, where the variables can be filled with
    /// poison.
    /// @return Where the declaration ends.
    std::size_t translate(std::size_t begin, std::size_t at, bool in_function) {
        for (std::size_t i = begin; i < at; ++i) {
            if (tokens_.is(i, "extern")) return translate_dynamic(begin, at, in_function);
            if (tokens_.is(i, "static")) tokens_.erase(i);
        }
        return translate_static(at, in_function);
    }

    /// How lambdas capture the variables that became local: `&s` for a reference, `s` for a pointer.
    const std::vector<std::string>& captures() const { return captures_; }

 private:
    /// Whether a statement ends at a token, or the macro's definition that the statement is in.
    bool ends(std::size_t i, std::size_t directive) const {
        return i >= tokens_.size() || tokens_.is(i, ";") ||
               (!tokens_.is_blank(i) && tokens_[i].directive != directive);
    }

    /// The index past `__align__(16)` or `alignas(16)`, if there is one.
    std::size_t after_alignment(std::size_t i) const {
        if (!tokens_.is(i, "__align__") && !tokens_.is(i, "alignas")) return i;
        const std::size_t open = tokens_.next(i);
        return tokens_.is(open, "(") && tokens_.partner(open) != kNone ? tokens_.next(tokens_.partner(open))
                                                                       : tokens_.size();
    }

    std::size_t translate_dynamic(std::size_t begin, std::size_t at, bool in_function) {
        const auto fail = [&] {
            tokens_.fail(at, "extern __shared__ must declare one array without a size: T name[]");
        };
        const std::size_t directive = tokens_[at].directive;
        int templates = 0;
        std::size_t name = kNone, open = begin;
        for (; !ends(open, directive) && !tokens_.is(open, "["); open = tokens_.pass(open, templates))
            if (tokens_.is_word(open)) name = open;
        if (name == kNone || !tokens_.is(open, "[")) fail();
        const std::size_t close = tokens_.next(open);
        std::size_t end = tokens_.next(close);
        while (tokens_.is(end, "[") && tokens_.partner(end) != kNone)
            end = tokens_.next(tokens_.partner(end));
        if (!tokens_.is(close, "]") || !ends(end, directive)) fail();
        const bool several = tokens_.is(tokens_.next(close), "[");

        const std::size_t type = erase_specifiers(begin, name);
        if (type == name || (!in_function && several)) fail();
        const std::string word = tokens_[name].text;
        tokens_.erase(open);
        tokens_.erase(close);
        if (!in_function) {
            tokens_.text(type).insert(0, "static constexpr ::sim::DynamicSharedArray<");
            tokens_.text(name).insert(0, "> ");
            return end;
        }
        if (directive == 0) captures_.push_back(word);
        tokens_.text(name) = several ? "(* const " + word + ")" : "* const " + word;
        const std::size_t last = several ? tokens_.partner(tokens_.next(close)) : close;
        tokens_.text(end > last ? tokens_.end_before(end) - 1 : last) +=
            " = ::sim::dynamic_shared; (void)" + word;
        return end;
    }

    /// Erases `extern`, `__shared__` and alignments: dynamic shared memory is aligned to 16 bytes.
    /// @return Where the type begins.
    std::size_t erase_specifiers(std::size_t begin, std::size_t name) {
        std::size_t type = kNone;
        for (std::size_t i = begin; i < name; i = tokens_.next(i)) {
            const std::size_t after = std::min(after_alignment(i), name);
            if (after != i) {
                for (; i < after; ++i) tokens_.erase(i);
                i = after - 1;
            } else if (tokens_.is(i, "extern") || tokens_.is(i, "__shared__")) {
                tokens_.erase(i);
            } else if (type == kNone && !tokens_.is_blank(i)) {
                type = i;
            }
        }
        return type == kNone ? name : type;
    }

    /// In a function, the declaration becomes a declaration of types, and each of its variables a reference
    /// to shared memory. Outside functions, and in a macro, whose parameters may be the variables' names, the
    /// variables become `thread_local`, so that each worker has its own.
    std::size_t translate_static(std::size_t at, bool in_function) {
        std::string references, alignment;
        int templates = 0;
        const std::size_t directive = tokens_[at].directive;
        const bool refers = in_function && directive == 0;
        std::size_t i = tokens_.next(at);
        tokens_.erase(at);
        if (tokens_.is(i, "static")) {
            tokens_.erase(i);
            i = tokens_.next(i);
        }
        const std::size_t type = after_alignment(i);
        if (type >= tokens_.size() && directive == 0) tokens_.fail(at, "__shared__ declares no variable");
        if (refers && type != i) {
            const std::size_t open = tokens_.next(i);
            alignment = ", " + tokens_.in_one_line(open + 1, tokens_.partner(open));
            for (; i < type; ++i) tokens_.erase(i);
        }
        for (i = type; !ends(i, directive); i = tokens_.pass(i, templates)) {
            if (tokens_.is(i, "extern"))
                return tokens_.text(at) = "__shared__", translate_dynamic(at, at, in_function);
            if (tokens_.is(i, "=") || (tokens_.is(i, "{") && !is_struct_body(i))) refuse_initializer(at);
            if (tokens_.is(i, "__shared__")) tokens_.erase(i);
            const std::size_t after = tokens_.next(i);
            const bool declared = tokens_.is(after, "[") || tokens_.is(after, ",") || tokens_.is(after, ";");
            if (!refers || templates != 0 || !tokens_.is_word(i) || !declared) continue;
            const std::string name = tokens_[i].text;
            captures_.push_back("&" + name);
            references.append(" [[maybe_unused]] auto& ")
                .append(name)
                .append(" = ::sim::shared_variable<sim_");
            references.append(name).append(">([] {}, \"").append(name).append("\"").append(alignment);
            references.append(");");
            tokens_.text(i).insert(0, "sim_");
        }
        if (!tokens_.is(i, ";") && directive == 0) refuse_initializer(at);
        if (refers && references.empty()) tokens_.fail(at, "__shared__ declares no variable");
        // CUDA aligns arrays so that they can be read as vectors.
        const char* const specifiers =
            refers ? "typedef " : "static thread_local __attribute__((aligned(16))) ";
        if (type < i) tokens_.text(type).insert(0, specifiers);
        if (type >= i) tokens_.text(at) = specifiers;  // a macro for __shared__ itself
        if (refers) tokens_.text(i) = ";" + references;
        return i;
    }
    [[noreturn]] void refuse_initializer(std::size_t at) const {
        tokens_.fail(
            at, "a __shared__ variable can't have an initializer, and its declaration must end with ';'");
    }
    bool is_struct_body(std::size_t open) const {
        std::size_t before = tokens_.end_before(open);
        for (int words = 0; before > 0 && words < 2; ++words, before = tokens_.end_before(before - 1))
            if (tokens_.is(before - 1, "struct") || tokens_.is(before - 1, "union")) return true;
        return false;
    }

    Tokens& tokens_;
    std::vector<std::string> captures_;
};
