/// @file
/// @brief What the command line of a chapter's program can ask for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../cuda/launch_shape.hpp"
#include "command_line.hpp"
#include "output_file.hpp"
#include "visible.hpp"

/// What the command line asked for.
struct Options {
    std::size_t n = 0;  ///< elements
    std::string input;  ///< the name of an input
    std::uint64_t seed = 1;
    std::string file;             ///< if not empty: this file's bytes instead
    LaunchShape shape;            ///< zeros: each variant's own choice
    unsigned int rounds = 20;     ///< timed runs of each variant on a GPU
    std::string variant;          ///< if not empty: run this variant only
    std::string csv;              ///< file that rows are added to, "-" for standard output
    std::string bins;             ///< file for the histogram itself, "-" for standard output
    bool heading = true;          ///< print the table's heading
    bool list = false;            ///< say what the variants are, and run nothing
    std::string cache = "clean";  ///< what the L2 cache holds before each sample on a GPU
    std::string mode;             ///< an extra that only this chapter has, such as "sweep"

    /// What tables and rows call the input: the file, or the name of what is made.
    std::string source() const { return visible(file.empty() ? input : file); }
};

/// What a program works on, and so which options it has.
struct ProgramKind {
    std::string problem;   ///< what it computes: "histogram"
    std::string elements;  ///< what n counts: "bytes"
    std::size_t default_n;
    std::vector<std::pair<std::string, std::string>> inputs;  ///< name and description; the default first
    bool has_files;                                           ///< --file and --bins
};

/// The programs that compute a problem.
template <typename Problem>
ProgramKind program_kind() {
    ProgramKind kind{Problem::kName, Problem::kElements, Problem::kDefaultN, {}, Problem::kCountsFiles};
    for (const auto& input : Problem::inputs()) kind.inputs.push_back({input.name, input.what});
    return kind;
}

/// A flag that only some chapters have: the program prints something else than its table.
struct ExtraMode {
    const char* name;
    const char* what;
    bool has_rows;             ///< results that --csv can write
    bool tries_grids = false;  ///< --grid is not for it
};

/// The option of the programs whose last variant is held against other libraries.
constexpr ExtraMode kRivalsMode{"rivals", "add what a user of Thrust would write, on a GPU", true};
/// So many blocks may be tried with any input, though most of them may have nothing to do.
constexpr unsigned int kAnyGrid = 4096;

/// @brief Makes sure that most of a grid has something to do: idle blocks are simulated for minutes.
/// @throws BadOption if there are more threads than elements, and more than `kAnyGrid` blocks.
inline void require_useful_grid(const LaunchShape& shape, std::size_t n) {
    const std::size_t most = std::max<std::size_t>(kAnyGrid, n / shape.block_or(256) + 1);
    if (shape.grid > most)
        throw BadOption("--grid takes at most " + std::to_string(most) + " blocks for " + std::to_string(n) +
                        " elements, not " + std::to_string(shape.grid) +
                        ": other blocks would have nothing to do");
}

/// @brief The options of every program that measures: launch shape, rounds, and where rows go.
inline void add_measuring_options(CommandLine& line, Options& options) {
    line.number("block", "THREADS", "threads per block, 1 to 1024 (default: each variant's choice)",
                options.shape.block, 1, 1024);
    line.number("grid", "BLOCKS",
                "blocks in the grid, at most one thread per element or " + std::to_string(kAnyGrid) +
                    " blocks (default: each variant's choice)",
                options.shape.grid, 1, 0x7fffffff);
    line.number("rounds", "COUNT",
                "timed runs of each variant on a GPU (default 20); the simulator takes one, a CPU at most 5",
                options.rounds, 1, 100000);
    line.choice("cache", "STATE",
                "what a GPU's L2 cache holds before each timed run (default clean):", options.cache,
                {{"clean", "other data, which were read"},
                 {"dirty", "other data, which were written and must go to memory first"},
                 {"warm", "what the run before has left there"}});
    line.text("csv", "PATH", "add the table's rows to this file, one line each ('-': to standard output)",
              options.csv);
}

/// The option that says how many elements are made.
inline void add_size_option(CommandLine& line, const ProgramKind& kind, Options& options) {
    options.n = kind.default_n;
    line.number("n", "SIZE", "how many " + kind.elements + ", such as 1000, 64K, 100M, 4G", options.n, 0,
                std::numeric_limits<std::int64_t>::max(), true);
}

/// The options that say which elements are made.
inline void add_input_options(CommandLine& line, const ProgramKind& kind, Options& options) {
    options.input = kind.inputs.front().first;
    line.choice("input", "NAME", "what they are like (default " + options.input + "):", options.input,
                kind.inputs);
    line.number("seed", "NUMBER", "another seed, another input (default 1)", options.seed, 0,
                std::numeric_limits<std::uint64_t>::max());
}

/// @brief Makes sure that options fit to each other, and that what they name can be written.
/// @throws BadOption.
inline void require_files(const CommandLine& line, const Options& options) {
    if (!options.file.empty() && line.has_any({"n", "input", "seed"}))
        throw BadOption("--file takes the whole file: leave out --n, --input and --seed");
    require_outputs({{"csv", options.csv}, {"bins", options.bins}}, {"file", options.file});
}

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @param[in] modes Flags that this program has besides those that all have.
/// @throws BadOption naming the option and what it takes.
template <typename Problem>
Options parse_options(int argc, char** argv, const std::vector<ExtraMode>& modes = {}) {
    const ProgramKind kind = program_kind<Problem>();
    Options options;
    CommandLine line;
    add_size_option(line, kind, options);
    add_input_options(line, kind, options);
    line.text("variant", "NAME", "run this variant only; --list names them", options.variant);
    if (kind.has_files) {
        line.text("file", "PATH", "count the bytes of this file instead", options.file);
        line.text("bins", "PATH", "write the histogram as lines of bin,count ('-': to standard output)",
                  options.bins);
    }
    add_measuring_options(line, options);
    line.flag("no-heading", "leave out the heading: the rows continue the table above", options.heading,
              false);
    line.flag("list", "say what the variants are, and run nothing", options.list);
    line.add({"problem", "", "say what the program computes, and run nothing", [&](const std::string&) {
                  std::printf("%s\n", kind.problem.c_str());
                  std::exit(0);
              }});
    for (const ExtraMode& mode : modes)
        line.add({mode.name, "", mode.what, [&options, name = mode.name](const std::string&) {
                      if (!options.mode.empty() && options.mode != name)
                          throw BadOption("--" + options.mode + " and --" + name + " exclude each other");
                      options.mode = name;
                  }});
    line.parse(argc, argv);

    for (const ExtraMode& extra : modes) {
        if (options.mode != extra.name) continue;
        if (!options.variant.empty() || !options.bins.empty())
            throw BadOption("--" + options.mode + " goes without --variant and --bins");
        if (extra.tries_grids && options.shape.grid != 0)
            throw BadOption("--" + options.mode + " tries grids of all sizes: leave out --grid");
        if (!extra.has_rows && !options.csv.empty())
            throw BadOption("--" + options.mode + " has no rows for --csv");
    }
    require_files(line, options);
    return options;
}
