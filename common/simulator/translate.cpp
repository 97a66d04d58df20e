/// @file
/// @brief Translates a CUDA C++ file to plain C++20: `translate INPUT OUTPUT`.
///
/// Four things in a `.cu` file are not C++, and each has one rule here. All else is left as it is,
/// line for line, so that messages and the debugger speak of the original file.
///
///     kernel<4><<<grid, block>>>(a, b);
///         ::sim::launch(SIM_KERNEL(kernel<4>), ::sim::launch_config(grid, block))(a, b);
///     __shared__ int s[32], t;
///         static thread_local int s[32], t; ::sim::shared_variables([] {}, s, t);
///     extern __shared__ int s[];
///         int* const s = ::sim::dynamic_shared; (void)s;
///     clock()
///         ::sim::device_clock(), since C++ has a function of that name already
#include <cstddef>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lexer.hpp"

namespace {

/// Changes the texts of tokens where CUDA differs from C++, and no others.
class Translator {
 public:
    explicit Translator(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    std::string translate() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (three(i, "<")) {
                translate_launch(i);
            } else if (is(i, "extern") && is(next(i), "__shared__")) {
                translate_dynamic_shared(i);
            } else if (is(i, "__shared__")) {
                translate_static_shared(i);
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

    /// How deep in brackets a place is. `<` and `>` count as a template's, unless they are a shift.
    struct Nesting {
        int brackets = 0, angles = 0;
    };
    void pass(std::size_t i, Nesting& nesting) const {
        nesting.brackets += is(i, "(") || is(i, "[") || is(i, "{");
        nesting.brackets -= is(i, ")") || is(i, "]") || is(i, "}");
        if (nesting.brackets != 0) return;
        if (is(i, "<") && !is(i + 1, "<") && !is(i - 1, "<")) ++nesting.angles;
        if (is(i, ">") && nesting.angles > 0) --nesting.angles;
    }

    /// Where the bracket that is closed here was opened.
    std::size_t opening(std::size_t close) const {
        const char* const open = is(close, ")") ? "(" : is(close, "]") ? "[" : is(close, "}") ? "{" : "<";
        for (std::size_t i = close; i-- > 0;) {
            if (is(i, open)) return i;
            if (is(i, ")") || is(i, "]") || is(i, "}") || (*open == '<' && is(i, ">"))) i = opening(i);
        }
        fail(close, "'" + tokens_[close].text + "' closes nothing");
    }

    /// The beginning of a kernel's name that ends before `end`: `a::b<c, d>`, `x.y`, `(*p)`, `p[i]`.
    std::size_t kernel_begin(std::size_t end) const {
        std::size_t i = end;
        while (i > 0) {
            if ((is(i - 1, ">") && is(i - 2, "-")) || (is(i - 1, ":") && is(i - 2, ":")))
                i -= 2;
            else if (is(i - 1, ">") || is(i - 1, ")") || is(i - 1, "]"))
                i = opening(i - 1);
            else if (is(i - 1, ".") || is_word(i - 1))
                --i;
            else
                break;
        }
        return i;
    }

    void translate_launch(std::size_t at) {
        std::size_t end = at;
        while (is_blank(end - 1)) --end;
        const std::size_t begin = kernel_begin(end);
        if (begin == end) fail(at, "there is no kernel before <<<");
        Nesting nesting;
        std::size_t close = at + 3;
        // >>>( closes the launch, unless it closes three templates that the configuration has opened.
        while (nesting.brackets != 0 || nesting.angles >= 3 || !three(close, ">") ||
               !is(next(close + 2), "(")) {
            if (close >= tokens_.size() || is(close, ";")) fail(at, "<<< is not followed by >>>(");
            pass(close++, nesting);
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
        while (i < tokens_.size() && !is(i, ")")) ++i;
        return next(i);
    }

    void translate_dynamic_shared(std::size_t at) {
        const std::size_t type = after_alignment(next(next(at)));
        std::size_t name = type;
        while (next(name) < tokens_.size() && !is(next(name), "[") && !is(name, ";")) name = next(name);
        const std::size_t open = next(name), close = next(open);
        if (name == type || !is_word(name) || !is(close, "]") || !is(next(close), ";"))
            fail(at, "extern __shared__ declares one array without a size, T name[]");
        for (std::size_t i = at; i < type; ++i)
            if (!is_blank(i)) tokens_[i].text.clear();  // dynamic shared memory is aligned to 16 bytes
        tokens_[open].text = " = ";
        tokens_[close].text = "::sim::dynamic_shared; (void)" + tokens_[name].text;
        tokens_[name].text.insert(0, "* const ");
    }

    void translate_static_shared(std::size_t at) {
        std::string names;
        Nesting nesting;
        const std::size_t type = after_alignment(next(at));
        std::size_t i = type;
        for (; nesting.brackets != 0 || !is(i, ";"); ++i) {
            if (i >= tokens_.size() || is(i, "=") || is(i, "{"))
                fail(at, "__shared__ declares variables without initializers");
            pass(i, nesting);
            const bool declared = is(next(i), "[") || is(next(i), ",") || is(next(i), ";");
            if (nesting.brackets == 0 && nesting.angles == 0 && is_word(i) && declared)
                names += ", " + tokens_[i].text;
        }
        tokens_[at].text.clear();
        tokens_[type].text.insert(0, "static thread_local ");
        tokens_[i].text = "; ::sim::shared_variables([] {}" + names + ");";
    }

    std::vector<Token> tokens_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: translate INPUT OUTPUT\n";
        return 2;
    }
    const std::string input_path = argv[1], output_path = argv[2];
    std::ifstream input(input_path, std::ios::binary);
    if (!input) {
        std::cerr << input_path << ": cannot be read\n";
        return 2;
    }
    const std::string source{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
    try {
        const std::string translated = Translator(Lexer(source).tokens()).translate();
        std::ofstream output(output_path, std::ios::binary);
        output << "#line 1 " << std::quoted(input_path) << "\n" << translated;
        if (!output.flush()) throw std::runtime_error(" " + output_path + " cannot be written");
    } catch (const std::exception& error) {
        std::cerr << input_path << ":" << error.what() << "\n";
        return 1;
    }
}
