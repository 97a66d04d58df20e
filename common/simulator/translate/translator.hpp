/// @file
/// @brief Turns a CUDA C++ file into plain C++20.
///
/// Five things in a `.cu` file are not C++, and each has one rule. All else is left as it is,
/// line for line, so that messages and the debugger refer to the original file.
///
///     kernel<4><<<grid, block>>>(a, b);
///         ::sim::launch(SIM_KERNEL(kernel<4>), ::sim::launch_config(grid, block))(a, b);
///     __shared__ int s[32], t;
///         typedef int sim_s[32], sim_t; auto& s = ::sim::shared_variable<sim_s>([] {}, "s"); auto& t = …
///     extern __shared__ int s[];
///         int * const s = ::sim::dynamic_shared; (void)s;
///     [=](int i) { return s[i]; }
///         [=, &s](int i) { return s[i]; }
///     __noinline__ void f();
///         __attribute__((noinline)) void f();
///
/// Two things are added for messages: the variable that a shuffle's result is combined with, and the names of
/// a kernel's parameters.
///
///     v += __shfl_down_sync(mask, v, d);
///         ::sim::Chained{"v", '+'}, v += __shfl_down_sync(mask, v, d);
///     __global__ void kernel(const int* a, int n) { … }
///         __global__ … } SIM_PARAMETERS(kernel, "a,n")
///
/// The time is proportional to the length of the file, whatever the file contains.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kernel_parameters.hpp"
#include "launches.hpp"
#include "shared_captures.hpp"
#include "shared_declarations.hpp"
#include "shuffle_chains.hpp"

/// Changes the texts of tokens where CUDA differs from C++, and leaves all others unchanged.
class Translator {
 public:
    explicit Translator(Tokens tokens) : tokens_(std::move(tokens)) {}
    explicit Translator(std::vector<Token> tokens) : Translator(Tokens(std::move(tokens))) {}

    std::string translate() {
        ShuffleChains::translate(tokens_);
        std::size_t statement = 0, directive = 0, kernel_end = kNone;
        std::string names;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_.is_blank(i)) continue;
            if (tokens_[i].directive != directive) statement = i;
            directive = tokens_[i].directive;
            if (tokens_.is(i, "__shared__")) {
                SharedDeclarations shared(tokens_);
                i = shared.translate(statement, i, functions_ > 0 || directive != 0) - 1;
                for (const std::string& each : shared.captures()) captures_.declare(each, scopes_.size());
                continue;
            } else if (tokens_.third(i, "<") != kNone) {
                Launches(tokens_).translate(i);
            } else if (tokens_.is(i, "__global__") && functions_ == 0 && directive == 0) {
                kernel_end = KernelParameters(tokens_).find(i, names);
            } else if (tokens_.is(i, "[") && directive == 0) {
                captures_.translate(i);
            } else if (tokens_.is(i, "__noinline__") && !tokens_.is(tokens_.end_before(i) - 1, "(")) {
                // A macro would also change GCC's __attribute__((__noinline__)).
                tokens_.text(i) = "__attribute__((noinline))";
            }
            if (tokens_[i].kind == Token::sign) {
                if (directive == 0) enter_or_leave(i);
                if (tokens_[i].text[0] == ';' || tokens_.is(i, "{") || tokens_.is(i, "}")) statement = i + 1;
                if (i == kernel_end) tokens_.text(i) += names;
            }
        }
        return tokens_.join(0, tokens_.size());
    }

 private:
    /// Counts the braces around a token, except those of namespaces and of `extern "C"`.
    void enter_or_leave(std::size_t i) {
        if (tokens_.is(i, "{")) {
            scopes_.push_back(!is_namespace(i));
            functions_ += scopes_.back();
        } else if (tokens_.is(i, "}") && !scopes_.empty()) {
            functions_ -= scopes_.back();
            scopes_.pop_back();
            captures_.leave(scopes_.size());
        }
    }
    bool is_namespace(std::size_t open) const {
        std::size_t end = tokens_.end_before(open);
        if (end > 0 && tokens_[end - 1].kind == Token::quoted) return true;
        while (end > 0 && (tokens_.is_word(end - 1) || tokens_.is(end - 1, ":"))) {
            if (tokens_.is(end - 1, "namespace")) return true;
            end = tokens_.end_before(end - 1);
        }
        return false;
    }

    Tokens tokens_;
    SharedCaptures captures_{tokens_};
    std::vector<bool> scopes_;  ///< for each open brace: whether it is a function's, not a namespace's
    std::size_t functions_ = 0;
};
