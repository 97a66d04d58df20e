/// @file
/// @brief A table of options, and the parser for the command line.
#pragma once

#include <getopt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "terminal.hpp"

/// An invalid command line, with the reason in one line. Programs exit with status 2.
class BadOption : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// @brief Parses a whole number. It may have a binary suffix if `suffixes` is set: 64K is 65536.
/// @throws BadOption naming the option and the values that it accepts.
inline std::uint64_t parse_number(const std::string& option, const std::string& text, std::uint64_t least,
                                  std::uint64_t most, bool suffixes = false) {
    const std::string range = "--" + option + " accepts a whole number from " + std::to_string(least) +
                              " to " + std::to_string(most) +
                              (suffixes ? ", also with K, M, G or T for 2^10, 2^20, 2^30 or 2^40" : "") +
                              ", not '" + text + "'";
    std::size_t digits = 0;
    std::uint64_t value = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        const auto digit = static_cast<std::uint64_t>(text[digits] - '0');
        if (digit > most || value > (most - digit) / 10) throw BadOption(range);
        value = value * 10 + digit;
    }
    if (digits == 0) throw BadOption(range);
    if (suffixes && digits + 1 == text.size()) {
        const std::size_t power = std::string("KkMmGgTt").find(text[digits]);
        const auto shift = static_cast<unsigned int>(10 * (power / 2 + 1));
        if (power == std::string::npos || value > most >> shift) throw BadOption(range);
        value <<= shift;
        ++digits;
    }
    if (digits != text.size() || value < least || value > most) throw BadOption(range);
    return value;
}

/// An option: its name, its value's name (empty if it has none), its help text, and what it does.
struct Option {
    std::string name, value, help;
    std::function<void(const std::string&)> set;
    std::vector<std::pair<std::string, std::string>> choices = {};  ///< named values, for the help text
};

/// A program's options. The variables that they set must outlive the table.
class CommandLine {
 public:
    /// Adds any option; the help lists options in the order in which they are added.
    void add(Option option) { options_.push_back(std::move(option)); }

    /// Adds an option for a whole number from `least` to `most`, as `parse_number` reads it.
    template <typename Number>
    void number(const std::string& name, const char* value, std::string help, Number& target,
                std::uint64_t least, std::uint64_t most, bool suffixes = false) {
        add({name, value, std::move(help), [&target, name, least, most, suffixes](const std::string& given) {
                 target = static_cast<Number>(parse_number(name, given, least, most, suffixes));
             }});
    }

    /// Adds an option for any text that is not empty.
    void text(const char* name, const char* value, std::string help, std::string& target) {
        add({name, value, std::move(help), [&target, name](const std::string& given) {
                 if (given.empty()) throw BadOption("--" + std::string(name) + " needs a value, not ''");
                 target = given;
             }});
    }

    /// Adds an option for one of several names.
    void choice(const char* name, const char* value, std::string help, std::string& target,
                const std::vector<std::pair<std::string, std::string>>& choices) {
        const auto set = [&target, name, choices](const std::string& chosen) {
            std::string names;
            for (const auto& [known, what] : choices) {
                if (chosen == known) target = chosen;
                names += (names.empty() ? "" : ", ") + known;
            }
            if (target != chosen)
                throw BadOption("--" + std::string(name) + " accepts one of " + names + ", not '" + chosen +
                                "'");
        };
        add({name, value, std::move(help), set, choices});
    }

    /// Adds an option without a value, which sets `target` to `meaning`.
    void flag(const char* name, std::string help, bool& target, bool meaning = true) {
        add({name, "", std::move(help), [&target, meaning](const std::string&) { target = meaning; }});
    }

    /// @brief Applies the given options. `--help` or `-h` prints the table and ends the program.
    /// @throws BadOption for an unknown option or argument, a missing value, or a value that is refused.
    void parse(int argc, char** argv) {
        add({"help", "", "print this help", [this, argv](const std::string&) {
                 print_help(argv[0]);
                 std::exit(0);
             }});
        std::vector<option> table;  // in getopt's format
        for (const Option& known : options_)
            table.push_back(
                {known.name.c_str(), known.value.empty() ? no_argument : required_argument, nullptr, 1});
        table.push_back({nullptr, 0, nullptr, 0});
        for (;;) {
            const int at = std::max(optind, 1);
            int index = static_cast<int>(options_.size()) - 1;  // --help, of which -h is the short form
            const int found = getopt_long(argc, argv, ":h", table.data(), &index);
            if (found == -1) break;
            if (found == ':')
                throw BadOption(std::string(argv[at]) + " needs a value; --help lists the options");
            if (found != 1 && found != 'h')
                throw BadOption("unknown option '" + std::string(argv[at]) + "'; --help lists the options");
            const std::string value = optarg != nullptr ? optarg : "";
            // In `--file --help`, the value was left out.
            const Option& chosen =
                value == "--help" ? options_.back() : options_[static_cast<std::size_t>(index)];
            chosen.set(value);
            given_.insert(chosen.name);
        }
        if (optind < argc)
            throw BadOption("unknown argument '" + std::string(argv[optind]) + "'; --help lists the options");
    }

    /// Whether the command line has one of these options.
    bool has_any(const std::vector<std::string>& names) const {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return given_.count(name) != 0; });
    }

 private:
    void print_help(const char* program) const {
        std::printf("usage: %s [options]\n\n", program);
        for (const Option& known : options_) {
            std::printf("  %-16s %s\n", ("--" + known.name + " " + known.value).c_str(),
                        wrapped(known.help, 19, 19).c_str());
            for (const auto& [name, what] : known.choices)
                std::printf("  %-16s   %-15s %s\n", "", name.c_str(), wrapped(what, 37, 37).c_str());
        }
    }

    std::vector<Option> options_;
    std::set<std::string> given_;
};
