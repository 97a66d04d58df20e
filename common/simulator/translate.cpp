/// @file
/// @brief Translates a CUDA C++ file to plain C++17: `translate INPUT OUTPUT`.
///
/// Four things in a `.cu` file are not C++, and each has one rule here. All else is left as it is,
/// line for line, so that messages and the debugger speak of the original file.
///
/// | CUDA | C++ |
/// |---|---|
/// | `kernel<4><<<grid, block>>>(a, b)` | `::sim::launch("kernel<4>", [=](auto... x) { kernel<4>(x...); },
/// ::sim::launch_config(grid, block))(a, b)` | | `__shared__ int s[32], t;` | `static thread_local int s[32],
/// t;` and a call for each that poisons it once a block | | `extern __shared__ int s[];` | `int* const s =
/// ::sim::dynamic_shared<int>();` | | `clock()` | `::sim::device_clock()`, since C++ has a function of that
/// name already |
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// A piece of the source: a word (identifier or number), a quoted text, a comment or white space
/// (both "blank"), or one character of anything else.
struct Token {
    enum Kind { word, quoted, blank, sign } kind;
    std::string text;
    int line;
};
using Tokens = std::vector<Token>;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Lexer {
 public:
    explicit Lexer(const std::string& source) : source_(source) {}

    Tokens tokens() {
        Tokens result;
        while (at_ < source_.size()) {
            const int line = line_;
            const std::size_t start = at_;
            const Token::Kind kind = skip_one();
            const std::string text = source_.substr(start, at_ - start);
            for (const char c : text) line_ += c == '\n';
            result.push_back({kind, text, line});
        }
        return result;
    }

 private:
    bool starts(const char* text) const { return source_.compare(at_, std::string(text).size(), text) == 0; }

    /// Moves past whatever ends with `end`.
    void skip_to(const std::string& end) {
        const std::size_t found = source_.find(end, at_);
        at_ = found == std::string::npos ? source_.size() : found + end.size();
    }

    void skip_quoted(char quote) {
        for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_)
            if (source_[at_] == '\\') ++at_;
        ++at_;
    }

    Token::Kind skip_one() {
        const char c = source_[at_];
        if (std::isspace(static_cast<unsigned char>(c))) return ++at_, Token::blank;
        if (starts("//")) return skip_to("\n"), --at_, Token::blank;
        if (starts("/*")) return skip_to("*/"), Token::blank;
        if (starts("R\"")) {
            const std::size_t open = source_.find('(', at_);
            const std::string delimiter = source_.substr(at_ + 2, open - at_ - 2);
            return skip_to(")" + delimiter + "\""), Token::quoted;
        }
        if (c == '"' || c == '\'') return skip_quoted(c), Token::quoted;
        if (!is_word(c)) return ++at_, Token::sign;
        // A number may hold ' between digits, which is no quotation mark.
        const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
        while (at_ < source_.size() &&
               (is_word(source_[at_]) || (number && source_[at_] == '\'' && is_word(source_[at_ + 1]))))
            ++at_;
        return Token::word;
    }

    const std::string source_;
    std::size_t at_ = 0;
    int line_ = 1;
};

class Translator {
 public:
    explicit Translator(Tokens tokens) : tokens_(std::move(tokens)) {}

    std::string translate() {
        for (std::size_t i = 0; i < tokens_.size();) {
            if (launch_brackets(i, '<')) {
                i = translate_launch(i);
            } else if (is(i, "extern") && is(next(i), "__shared__")) {
                i = translate_dynamic_shared(i);
            } else if (is(i, "__shared__")) {
                i = translate_static_shared(i);
            } else if (is(i, "clock") && is(next(i), "(") && !is(previous(i), ":") && !is(previous(i), ".")) {
                output_.push_back({Token::word, "::sim::device_clock", tokens_[i++].line});
            } else {
                output_.push_back(tokens_[i++]);
            }
        }
        return join(output_, 0, output_.size());
    }

 private:
    bool is(std::size_t i, const std::string& text) const {
        return i < tokens_.size() && tokens_[i].kind != Token::blank && tokens_[i].text == text;
    }
    std::size_t next(std::size_t i) const {
        do ++i;
        while (i < tokens_.size() && tokens_[i].kind == Token::blank);
        return i;
    }
    std::size_t previous(std::size_t i) const {
        do --i;  // wraps past the first token to an index that no token has
        while (i < tokens_.size() && tokens_[i].kind == Token::blank);
        return i;
    }
    bool launch_brackets(std::size_t i, char bracket) const {
        const std::string text(1, bracket);
        return is(i, text) && is(i + 1, text) && is(i + 2, text);
    }

    [[noreturn]] void fail(std::size_t i, const std::string& what) const {
        const int line = i < tokens_.size() ? tokens_[i].line : tokens_.back().line;
        throw std::runtime_error(std::to_string(line) + ": " + what);
    }

    static std::string join(const Tokens& tokens, std::size_t from, std::size_t to) {
        std::string text;
        for (std::size_t i = from; i < to; ++i) text += tokens[i].text;
        return text;
    }

    /// Takes the name of the kernel, `a::b<c, d>`, back from what has been written.
    std::string take_kernel_name(std::size_t at) {
        std::size_t i = output_.size();
        const auto skip_blank = [&] {
            while (i > 0 && output_[i - 1].kind == Token::blank) --i;
        };
        const auto skip_nested = [&](const std::string& open, const std::string& close) {
            int depth = 0;
            do {
                if (i == 0) fail(at, "no kernel before <<<");
                --i;
                depth += (output_[i].text == close) - (output_[i].text == open);
            } while (depth > 0);
            skip_blank();
        };
        skip_blank();
        const std::size_t end = i;
        if (i > 0 && output_[i - 1].text == ">") skip_nested("<", ">");
        if (i > 0 && output_[i - 1].text == ")") {
            skip_nested("(", ")");
        } else {
            while (i > 0 && (output_[i - 1].kind == Token::word || output_[i - 1].text == ":")) --i;
        }
        if (i == end) fail(at, "no kernel before <<<");
        const std::string name = join(output_, i, end);
        output_.resize(i);
        return name;
    }

    std::size_t translate_launch(std::size_t at) {
        const std::string kernel = take_kernel_name(at);
        std::size_t i = at + 3;
        std::string config;
        for (int depth = 0; !(depth == 0 && launch_brackets(i, '>') && is(next(i + 2), "(")); ++i) {
            if (i >= tokens_.size() || is(i, ";")) fail(at, "<<< without >>>(");
            depth += (is(i, "(") || is(i, "{")) - (is(i, ")") || is(i, "}"));
            config += tokens_[i].text;
        }
        std::string quoted;
        for (const char c : kernel) {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += c == '\n' ? ' ' : c;
        }
        output_.push_back({Token::word,
                           "::sim::launch(\"" + quoted + "\", [=](auto... sim_arguments) { " + kernel +
                               "(sim_arguments...); }, ::sim::launch_config(" + config + "))",
                           tokens_[at].line});
        return i + 3;
    }

    std::size_t translate_dynamic_shared(std::size_t at) {
        std::size_t i = next(next(at));
        if (is(i, "__align__") || is(i, "alignas")) {
            while (!is(i, ")")) i = next(i);
            i = next(i);
        }
        std::size_t name = i;
        while (!is(next(name), "[")) {
            name = next(name);
            if (name >= tokens_.size() || is(name, ";")) fail(at, "extern __shared__ without []");
        }
        const std::string type = join(tokens_, i, name);
        const std::size_t close = next(next(name));
        if (!is(close, "]") || !is(next(close), ";")) fail(at, "extern __shared__ takes one array, T name[]");
        output_.push_back(
            {Token::word, type + "* const " + tokens_[name].text + " = ::sim::dynamic_shared<" + type + ">()",
             tokens_[at].line});
        return next(close);
    }

    std::size_t translate_static_shared(std::size_t at) {
        output_.push_back({Token::word, "static thread_local", tokens_[at].line});
        std::vector<std::string> names;
        std::size_t i = at + 1;
        for (int depth = 0; !(depth == 0 && is(i, ";")); ++i) {
            if (i >= tokens_.size() || is(i, "{"))
                fail(at, "__shared__ takes declarations without initializers");
            depth += (is(i, "(") || is(i, "[") || is(i, "<")) - (is(i, ")") || is(i, "]") || is(i, ">"));
            const bool declared = is(next(i), "[") || is(next(i), ",") || is(next(i), ";");
            if (depth == 0 && tokens_[i].kind == Token::word && declared) names.push_back(tokens_[i].text);
            output_.push_back(tokens_[i]);
        }
        std::string calls = ";";
        for (const std::string& name : names)
            calls += " static thread_local ::std::uint64_t sim_block_of_" + name +
                     " = 0; ::sim::shared_variable(" + name + ", sim_block_of_" + name + ");";
        output_.push_back({Token::word, calls, tokens_[at].line});
        return i + 1;
    }

    const Tokens tokens_;
    Tokens output_;
};

std::string quoted_path(const std::string& path) {
    std::string result = "\"";
    for (const char c : path) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

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
        output << "#line 1 " << quoted_path(input_path) << "\n" << translated;
        if (!output.flush()) throw std::runtime_error("0: " + output_path + " cannot be written");
    } catch (const std::exception& error) {
        std::cerr << input_path << ":" << error.what() << "\n";
        return 1;
    }
}
