/// @file
/// @brief The options of a chapter's program.
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
#include "../problem/input.hpp"
#include "command_line.hpp"
#include "output_file.hpp"
#include "visible.hpp"

/// The values of the options.
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
    bool heading = true;          ///< print the heading of the table
    bool no_cpu = false;          ///< leave out the times of the CPU and of copies
    bool list = false;            ///< list the variants, and run nothing
    std::string cache = "clean";  ///< the state of the L2 cache before each sample on a GPU
    std::string mode;             ///< one of the chapter's extra modes, such as "sweep"

    /// The input's name in tables and rows: the file, or the named input.
    std::string source() const { return visible(file.empty() ? input : file); }
};

/// A program's problem, which determines its options.
struct ProgramKind {
    std::string problem;   ///< the problem's name: "histogram"
    std::string elements;  ///< the elements' name: "bytes"
    std::size_t default_n;
    std::vector<std::pair<std::string, std::string>> inputs;  ///< name and description; the default first
    bool has_files;                                           ///< whether it has --file and --bins
};

/// @return What the command lines of all programs for this problem have in common.
template <typename Problem>
ProgramKind program_kind() {
    ProgramKind kind{Problem::kName, Problem::kElements, Problem::kDefaultN, {}, Problem::kCountsFiles};
    for (const auto& input : Problem::inputs()) kind.inputs.push_back({input.name, input.what});
    return kind;
}

/// A flag that only some chapters have. It changes what the program prints: another table, for example.
struct ExtraMode {
    const char* name;
    const char* what;
    bool has_rows;             ///< the mode has rows that --csv can write
    bool tries_grids = false;  ///< the mode chooses the grids, so --grid is refused
};

/// The option of programs that can add rows for Thrust to their table.
inline constexpr ExtraMode kRivalsMode{"rivals", "on a GPU, also time what a user of Thrust would write",
                                       true};
/// Grids of up to this many blocks are allowed for any input, even if most blocks are idle.
constexpr unsigned int kAnyGrid = 4096;

/// @brief Refuses large grids of mostly idle blocks, which would take minutes to simulate.
/// @throws BadOption if there are more threads than elements, and more than `kAnyGrid` blocks.
inline void require_useful_grid(const LaunchShape& shape, std::size_t n) {
    const std::size_t most = std::max<std::size_t>(kAnyGrid, n / shape.block_or(256) + 1);
    if (shape.grid > most)
        throw BadOption("--grid accepts at most " + std::to_string(most) + " blocks for " +
                        std::to_string(n) + " elements, not " + std::to_string(shape.grid) +
                        ": more blocks would be idle");
}

/// @brief Adds the options of every program that measures: launch shape, rounds, and where rows go.
inline void add_measuring_options(CommandLine& line, Options& options) {
    line.number("block", "THREADS", "threads per block, 1 to 1024 (default: each variant's choice)",
                options.shape.block, 1, 1024);
    line.number("grid", "BLOCKS",
                "blocks in the grid: at most enough for one thread per element, or " +
                    std::to_string(kAnyGrid) + " if that is more (default: each variant's choice)",
                options.shape.grid, 1, 0x7fffffff);
    line.number("rounds", "COUNT",
                "timed runs per variant on a GPU (default 20); the simulator runs one, a CPU at most 5",
                options.rounds, 1, 100000);
    line.choice("cache", "STATE",
                "what a GPU's L2 cache holds before each timed run (default clean):", options.cache,
                {{"clean", "other data that were read"},
                 {"dirty", "other data that were written, and must be written to memory first"},
                 {"warm", "what the previous run left there"}});
    line.text("csv", "PATH", "append the table's rows to this CSV file ('-': standard output)", options.csv);
}

/// Adds the option for the number of elements.
inline void add_size_option(CommandLine& line, const ProgramKind& kind, Options& options) {
    options.n = kind.default_n;
    line.number("n", "SIZE", "number of " + kind.elements + ", such as 1000, 64K, 100M, 4G", options.n, 0,
                std::numeric_limits<std::int64_t>::max(), true);
}

/// Adds the options that say which elements are generated.
inline void add_input_options(CommandLine& line, const ProgramKind& kind, Options& options) {
    options.input = kind.inputs.front().first;
    line.choice("input", "NAME", "the elements' distribution (default " + options.input + "):", options.input,
                kind.inputs);
    line.number("seed", "NUMBER", "seed of the random input (default 1)", options.seed, 0,
                std::numeric_limits<std::uint64_t>::max());
}

/// @brief Makes sure that options don't contradict each other, and that the files they name can be written.
/// @throws BadOption.
inline void require_files(const CommandLine& line, const Options& options) {
    if (!options.file.empty() && line.has_any({"n", "input", "seed"}))
        throw BadOption("--file reads the whole file: leave out --n, --input and --seed");
    require_outputs({{"csv", options.csv}, {"bins", options.bins}}, {"file", options.file});
}

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @param[in] modes Flags that only this program has.
/// @throws BadOption naming the option and the values that it accepts.
template <typename Problem>
Options parse_options(int argc, char** argv, const std::vector<ExtraMode>& modes = {}) {
    const ProgramKind kind = program_kind<Problem>();
    Options options;
    CommandLine line;
    add_size_option(line, kind, options);
    add_input_options(line, kind, options);
    line.text("variant", "NAME", "run only this variant; --list prints the names", options.variant);
    if (kind.has_files) {
        line.text("file", "PATH", "count the bytes of this file instead", options.file);
        line.text("bins", "PATH", "write the histogram as lines of bin,count ('-': standard output)",
                  options.bins);
    }
    add_measuring_options(line, options);
    line.flag("no-heading", "leave out the heading: the rows continue the table above", options.heading,
              false);
    line.flag("no-cpu", "leave out the times of the CPU and of copies, which take longest for large inputs",
              options.no_cpu);
    line.flag("list", "list the variants, and run nothing", options.list);
    line.add(
        {"problem", "", "print the name of the problem that the program solves", [&](const std::string&) {
             std::printf("%s\n", kind.problem.c_str());
             std::exit(0);
         }});
    for (const ExtraMode& mode : modes)
        line.add({mode.name, "", mode.what, [&options, name = mode.name](const std::string&) {
                      if (!options.mode.empty() && options.mode != name)
                          throw BadOption("--" + options.mode + " can't be combined with --" + name);
                      options.mode = name;
                  }});
    line.parse(argc, argv);

    for (const ExtraMode& extra : modes) {
        if (options.mode != extra.name) continue;
        if (!options.variant.empty() || !options.bins.empty())
            throw BadOption("--" + options.mode + " can't be combined with --variant or --bins");
        if (extra.tries_grids && options.shape.grid != 0)
            throw BadOption("--" + options.mode + " chooses its own grids: leave out --grid");
        if (!extra.has_rows && !options.csv.empty())
            throw BadOption("--" + options.mode + " has no rows to write: leave out --csv");
    }
    require_files(line, options);
    return options;
}
