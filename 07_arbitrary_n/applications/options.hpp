/// @file
/// @brief The command line of the streaming program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "../../common/bench/options.hpp"
#include "launch.hpp"
#include "source.hpp"

/// The options.
struct StreamOptions {
    std::string path;                ///< of the data; `-` for standard input; empty for data in memory
    bool own_files = false;          ///< the path contains %r: a file per rank
    std::string file;                ///< what this rank opens
    Part part;                       ///< of the data, for this rank
    std::uint64_t memory_bytes = 0;  ///< of generated data in memory
    bool histogram = false, sum = false;
    int gpus = 1;
    std::size_t chunk = 0;  ///< bytes; 0 leaves the choice to the program
    std::size_t memory = std::size_t{256} << 20;
    std::size_t buffers = 16;  ///< per GPU, at most
    std::size_t rounds = 1;
    bool parts = false;
    std::string bins, csv;
};

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @param[in] launch The ranks, of which rank 0 writes the files.
/// @throws BadOption which names the option and what it accepts.
inline StreamOptions parse_stream_options(int argc, char** argv, const Launch& launch) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
    StreamOptions options;
    CommandLine line;
    line.text("stream", "PATH",
              "the file or pipe to read ('-': standard input; memory:SIZE: random data in memory). With "
              "mpirun, ranks share a file; for a file per rank, %r stands for the rank's number",
              options.path);
    line.flag("histogram", "count its bytes (default)", options.histogram);
    line.flag("sum", "add up the squares of its 32-bit integers, whose first byte is the lowest",
              options.sum);
    line.number("gpus", "COUNT", "how many GPUs share the chunks; with mpirun, per rank (default 1)",
                options.gpus, 1, 64);
    line.number("chunk", "SIZE",
                "bytes that are read, copied and counted at a time (default 16M; simulator 1M)",
                options.chunk, kChunkAlignment, std::size_t{1} << 30, true);
    line.number("memory", "SIZE", "device memory per GPU, at most (default 256M)", options.memory,
                2 * kChunkAlignment, kMost, true);
    line.number("buffers", "COUNT", "buffers per GPU, at most, each with a thread that reads (default 16)",
                options.buffers, 1, 256);
    line.text("bins", "PATH", "write the histogram as lines of bin,count ('-': standard output)",
              options.bins);
    line.number("rounds", "COUNT", "repeat everything (default 1)", options.rounds, 1, 1000);
    line.flag("parts", "also time the reading alone and the copying alone", options.parts);
    line.text("csv", "PATH", "append the times to this CSV file ('-': standard output)", options.csv);
    line.parse(argc, argv);

    if (options.path.empty()) throw BadOption("--stream needs the file to read; --help lists the options");
    if (options.histogram && options.sum) throw BadOption("--histogram and --sum exclude each other");
    if (options.sum && !options.bins.empty()) throw BadOption("--sum has no bins to write: leave out --bins");
    if (options.chunk % kChunkAlignment != 0)
        throw BadOption("--chunk accepts a multiple of " + std::to_string(kChunkAlignment) + ", not " +
                        std::to_string(options.chunk));
    if (options.parts && launch.count > 1)
        throw BadOption("--parts is for one process: start it without mpirun");
    if (launch.rank != 0) options.bins = options.csv = "";
    options.own_files = launch.is_known && options.path.find("%r") != std::string::npos;
    const auto file_of = [&](int rank) {
        return options.own_files ? path_of_rank(options.path, rank) : options.path;
    };
    options.file = file_of(launch.rank);
    for (int rank = 0; rank < (options.own_files ? launch.count : 1); ++rank)
        require_outputs({{"csv", options.csv}, {"bins", options.bins}}, {"stream", file_of(rank)});
    if (!options.own_files) options.part = {launch.rank, launch.count};
    constexpr const char* kMemory = "memory:";
    if (options.path.rfind(kMemory, 0) == 0) {
        options.memory_bytes =
            parse_number("stream", options.path.substr(std::strlen(kMemory)), 8, kMost, true) / 8 * 8;
        options.path.clear();
    }
    return options;
}
