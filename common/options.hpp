/// @file
/// @brief The command line of a chapter's program, checked before anything runs.
#pragma once

#include <getopt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "input.hpp"
#include "launch_shape.hpp"

/// A command line that can't be followed: one line that says why. Programs exit with 2.
class BadOption : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// What the command line asked for.
struct Options {
    std::size_t n = std::size_t{100} << 20;  ///< bytes to count; the articles' 100 MB
    std::string input = "uniform";
    std::uint64_t seed = 1;
    std::string file;          ///< if not empty: count this file's bytes instead
    LaunchShape shape;         ///< zeros: each variant's own choice
    unsigned int rounds = 20;  ///< timed runs of each variant on a GPU
    std::string variant;       ///< if not empty: run this variant only
    std::string csv, json;     ///< files that rows are added to
    std::string bins;          ///< file for the histogram itself, "-" for standard output
    bool heading = true;       ///< print the table's heading
    bool list = false;         ///< say what the variants are, and run nothing
    std::string mode;          ///< an extra that only this chapter has, such as "sweep"
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
    const std::string range =
        option + " takes a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
        (suffixes ? ", also with K, M, G or T for 2^10, 2^20, 2^30 or 2^40" : "") + ", not '" + text + "'";
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

inline std::string input_names() {
    std::string names;
    for (const NamedInput& input : named_inputs())
        names += (names.empty() ? "" : ", ") + std::string(input.name);
    return names;
}

inline void print_help(const char* program, const std::vector<ExtraMode>& modes) {
    std::printf("usage: %s [options]\n\n", program);
    std::printf(
        "  --n SIZE         bytes to count, such as 1000, 64K, 100M (the default), 4G\n"
        "  --input NAME     what the bytes are like (default uniform):\n");
    for (const NamedInput& input : named_inputs())
        std::printf("                     %-12s %s\n", input.name, input.what);
    std::printf(
        "  --seed NUMBER    another seed, other bytes (default 1)\n"
        "  --file PATH      count the bytes of this file instead\n"
        "  --block THREADS  threads a block, 1 to 1024 (default: each variant's choice)\n"
        "  --grid BLOCKS    blocks in the grid (default: each variant's choice)\n"
        "  --rounds COUNT   timed runs of each variant on a GPU (default 20)\n"
        "  --variant NAME   run this variant only; --list names them\n"
        "  --list           say what the variants are, and run nothing\n"
        "  --bins PATH      write the histogram as lines of bin,count ('-': to standard output)\n"
        "  --csv PATH       add the table's rows to this file, one line each\n"
        "  --json PATH      the same, as one JSON object a line\n"
        "  --no-heading     leave out the heading: the rows go on a table that stands above\n");
    for (const ExtraMode& mode : modes) std::printf("  --%-14s %s\n", mode.name, mode.what);
    std::printf("  --help           print this\n");
}

}  // namespace options_detail

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @param[in] modes Flags that this program has besides those that all have.
/// @throws BadOption naming the option and what it takes.
inline Options parse_options(int argc, char** argv, const std::vector<ExtraMode>& modes = {}) {
    using options_detail::parse_number;
    enum {
        n = 1,
        input,
        seed,
        file,
        block,
        grid,
        rounds,
        variant,
        csv,
        json,
        bins,
        no_heading,
        list,
        help,
        mode
    };
    std::vector<option> known = {
        {"n", required_argument, nullptr, n},           {"input", required_argument, nullptr, input},
        {"seed", required_argument, nullptr, seed},     {"file", required_argument, nullptr, file},
        {"block", required_argument, nullptr, block},   {"grid", required_argument, nullptr, grid},
        {"rounds", required_argument, nullptr, rounds}, {"variant", required_argument, nullptr, variant},
        {"csv", required_argument, nullptr, csv},       {"json", required_argument, nullptr, json},
        {"bins", required_argument, nullptr, bins},     {"no-heading", no_argument, nullptr, no_heading},
        {"list", no_argument, nullptr, list},           {"help", no_argument, nullptr, help},
    };
    for (const ExtraMode& extra : modes) known.push_back({extra.name, no_argument, nullptr, mode});
    known.push_back({nullptr, 0, nullptr, 0});

    Options options;
    bool made_input = false;
    opterr = 0;
    for (;;) {
        const int at = std::max(optind, 1);
        int index = 0;
        const int found = getopt_long(argc, argv, ":", known.data(), &index);
        if (found == -1) break;
        const std::string value = optarg != nullptr ? optarg : "";
        switch (found) {
            case n:
                options.n = parse_number("--n", value, 0, std::numeric_limits<std::int64_t>::max(), true);
                made_input = true;
                break;
            case input: {
                bool exists = false;
                for (const NamedInput& known_input : named_inputs()) exists |= value == known_input.name;
                if (!exists)
                    throw BadOption("--input takes one of " + options_detail::input_names() + ", not '" +
                                    value + "'");
                options.input = value;
                made_input = true;
                break;
            }
            case seed:
                options.seed = parse_number("--seed", value, 0, std::numeric_limits<std::uint64_t>::max());
                made_input = true;
                break;
            case file: options.file = value; break;
            case block:
                options.shape.block = static_cast<unsigned int>(parse_number("--block", value, 1, 1024));
                break;
            case grid:
                options.shape.grid = static_cast<unsigned int>(parse_number("--grid", value, 1, 0x7fffffff));
                break;
            case rounds:
                options.rounds = static_cast<unsigned int>(parse_number("--rounds", value, 1, 100000));
                break;
            case variant: options.variant = value; break;
            case csv: options.csv = value; break;
            case json: options.json = value; break;
            case bins: options.bins = value; break;
            case no_heading: options.heading = false; break;
            case list: options.list = true; break;
            case mode: options.mode = known[static_cast<std::size_t>(index)].name; break;
            case help: options_detail::print_help(argv[0], modes); std::exit(0);
            case ':': throw BadOption(std::string(argv[at]) + " needs a value; --help lists the options");
            default:
                throw BadOption("unknown option '" + std::string(argv[at]) + "'; --help lists the options");
        }
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
    if (!options.file.empty() && made_input)
        throw BadOption("--file takes the whole file: leave out --n, --input and --seed");
    return options;
}
