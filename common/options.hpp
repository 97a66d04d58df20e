/// @file
/// @brief The command line of a chapter's program, checked before anything runs.
#pragma once

#include <getopt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch_shape.hpp"

/// A command line that can't be followed: one line that says why. Programs exit with 2.
class BadOption : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// What the command line asked for.
struct Options {
    std::size_t n = 0;  ///< elements
    std::string input;  ///< the name of an input
    std::uint64_t seed = 1;
    std::string file;          ///< if not empty: this file's bytes instead
    LaunchShape shape;         ///< zeros: each variant's own choice
    unsigned int rounds = 20;  ///< timed runs of each variant on a GPU
    std::string variant;       ///< if not empty: run this variant only
    std::string csv, json;     ///< files that rows are added to
    std::string bins;          ///< file for the histogram itself, "-" for standard output
    bool heading = true;       ///< print the table's heading
    bool list = false;         ///< say what the variants are, and run nothing
    std::string mode;          ///< an extra that only this chapter has, such as "sweep"
};

/// What the programs of a part work on, and so which options they have.
struct ProgramKind {
    const char* elements;  ///< what n counts: "bytes to count"
    std::size_t default_n;
    std::vector<std::pair<std::string, std::string>> inputs;  ///< name and description; the default first
    bool has_files;                                           ///< --file and --bins
};

/// A flag that only some chapters have: the program prints something else than its table.
struct ExtraMode {
    const char* name;
    const char* what;
    bool has_rows;  ///< results that --csv and --json can write
};

namespace options_detail {

/// @brief A whole number, with a binary suffix if `suffixes` allows one: 64K is 65536.
inline std::uint64_t parse_number(const std::string& option, const std::string& text, std::uint64_t least,
                                  std::uint64_t most, bool suffixes = false) {
    const std::string range = "--" + option + " takes a whole number from " + std::to_string(least) + " to " +
                              std::to_string(most) +
                              (suffixes ? ", also with K, M, G or T for 2^10, 2^20, 2^30 or 2^40" : "") +
                              ", not '" + text + "'";
    std::size_t digits = 0;
    std::uint64_t value = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        const auto digit = static_cast<std::uint64_t>(text[digits] - '0');
        if (value > (most - digit) / 10) throw BadOption(range);
        value = value * 10 + digit;
    }
    if (digits == 0) throw BadOption(range);
    if (suffixes && digits + 1 == text.size()) {
        const std::size_t power = std::string("KMGT").find(text[digits]);
        const auto shift = static_cast<unsigned int>(10 * (power + 1));
        if (power == std::string::npos || value > most >> shift) throw BadOption(range);
        value <<= shift;
        ++digits;
    }
    if (digits != text.size() || value < least || value > most) throw BadOption(range);
    return value;
}

/// An option: its name, what its value is called (empty: it has none), its line of help, what it does.
struct Option {
    std::string name, value, help;
    std::function<void(const std::string&)> set;
};

inline void print_help(const char* program, const std::vector<Option>& known, const ProgramKind& kind) {
    std::printf("usage: %s [options]\n\n", program);
    for (const Option& option : known) {
        std::printf("  %-16s %s\n", ("--" + option.name + " " + option.value).c_str(), option.help.c_str());
        if (option.name != "input") continue;
        for (const auto& [name, what] : kind.inputs)
            std::printf("  %-16s   %-12s %s\n", "", name.c_str(), what.c_str());
    }
}

}  // namespace options_detail

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @param[in] modes Flags that this program has besides those that all have.
/// @throws BadOption naming the option and what it takes.
inline Options parse_options(int argc, char** argv, const ProgramKind& kind,
                             const std::vector<ExtraMode>& modes = {}) {
    using options_detail::parse_number;
    Options options;
    options.n = kind.default_n;
    options.input = kind.inputs.front().first;
    bool made_input = false;

    std::vector<options_detail::Option> known;
    const auto number = [&](const char* name, const char* value, std::string help, auto& target,
                            std::uint64_t least, std::uint64_t most) {
        known.push_back({name, value, std::move(help), [&target, name, least, most](const std::string& text) {
                             using Target = std::decay_t<decltype(target)>;
                             target = static_cast<Target>(parse_number(name, text, least, most));
                         }});
    };
    const auto text = [&](const char* name, const char* value, std::string help, std::string& target) {
        known.push_back(
            {name, value, std::move(help), [&target](const std::string& given) { target = given; }});
    };
    known.push_back({"n", "SIZE", std::string(kind.elements) + ", such as 1000, 64K, 100M, 4G",
                     [&](const std::string& given) {
                         options.n =
                             parse_number("n", given, 0, std::numeric_limits<std::int64_t>::max(), true);
                         made_input = true;
                     }});
    known.push_back({"input", "NAME",
                     "what they are like (default " + options.input + "):", [&](const std::string& given) {
                         std::string names;
                         for (const auto& input : kind.inputs) {
                             if (given == input.first) options.input = given;
                             names += (names.empty() ? "" : ", ") + input.first;
                         }
                         if (options.input != given)
                             throw BadOption("--input takes one of " + names + ", not '" + given + "'");
                         made_input = true;
                     }});
    number("seed", "NUMBER", "another seed, another input (default 1)", options.seed, 0,
           std::numeric_limits<std::uint64_t>::max());
    number("block", "THREADS", "threads a block, 1 to 1024 (default: each variant's choice)",
           options.shape.block, 1, 1024);
    number("grid", "BLOCKS", "blocks in the grid (default: each variant's choice)", options.shape.grid, 1,
           0x7fffffff);
    number("rounds", "COUNT", "timed runs of each variant on a GPU (default 20)", options.rounds, 1, 100000);
    text("variant", "NAME", "run this variant only; --list names them", options.variant);
    if (kind.has_files) {
        text("file", "PATH", "count the bytes of this file instead", options.file);
        text("bins", "PATH", "write the histogram as lines of bin,count ('-': to standard output)",
             options.bins);
    }
    text("csv", "PATH", "add the table's rows to this file, one line each", options.csv);
    text("json", "PATH", "the same, as one JSON object a line", options.json);
    known.push_back({"no-heading", "", "leave out the heading: the rows go on a table that stands above",
                     [&](const std::string&) { options.heading = false; }});
    known.push_back({"list", "", "say what the variants are, and run nothing",
                     [&](const std::string&) { options.list = true; }});
    for (const ExtraMode& mode : modes)
        known.push_back({mode.name, "", mode.what, [&](const std::string&) { options.mode = mode.name; }});
    known.push_back({"help", "", "print this", [&](const std::string&) {
                         options_detail::print_help(argv[0], known, kind);
                         std::exit(0);
                     }});

    std::vector<option> table;  // as getopt wants it
    for (const auto& option : known)
        table.push_back(
            {option.name.c_str(), option.value.empty() ? no_argument : required_argument, nullptr, 1});
    table.push_back({nullptr, 0, nullptr, 0});
    opterr = 0;
    for (;;) {
        const int at = std::max(optind, 1);
        int index = 0;
        const int found = getopt_long(argc, argv, ":", table.data(), &index);
        if (found == -1) break;
        if (found == ':') throw BadOption(std::string(argv[at]) + " needs a value; --help lists the options");
        if (found != 1)
            throw BadOption("unknown option '" + std::string(argv[at]) + "'; --help lists the options");
        known[static_cast<std::size_t>(index)].set(optarg != nullptr ? optarg : "");
    }
    if (optind < argc)
        throw BadOption("unknown argument '" + std::string(argv[optind]) + "'; --help lists the options");

    for (const ExtraMode& extra : modes) {
        if (options.mode != extra.name) continue;
        if (!options.variant.empty() || !options.bins.empty())
            throw BadOption("--" + options.mode + " goes without --variant and --bins");
        if (!extra.has_rows && !(options.csv.empty() && options.json.empty()))
            throw BadOption("--" + options.mode + " has no rows for --csv and --json");
    }
    if (!options.file.empty() && (made_input || options.seed != 1))
        throw BadOption("--file takes the whole file: leave out --n, --input and --seed");
    return options;
}
