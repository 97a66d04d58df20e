/// @file
/// @brief The command line of the streaming program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../common/bench/options.hpp"
#include "input/source.hpp"
#include "ranks/launch.hpp"

/// Where random data can be: the name in `--stream NAME:SIZE`, and what it means.
inline const std::vector<std::pair<std::string, std::string>> kPlaces = {
    {"memory", "pinned memory"},
    {"pageable", "memory that is not pinned"},
    {"gpu", "the GPUs' memory: nothing is copied"},
    {"managed", "managed memory, written by the host: pages move when they are accessed"},
    {"prefetched", "managed memory that is moved before it is accessed"}};

/// All options of the application.
struct StreamOptions {
    std::string path;            ///< the data's file; `-` for standard input; empty for generated data
    std::string place = "file";  ///< where the data are: `file`, or one of `kPlaces`
    bool own_files = false;      ///< whether each rank has a file, because the path contains %r
    std::string file;            ///< what this rank opens
    Part part;                   ///< this rank's part of the data
    std::uint64_t generated_bytes = 0;
    /// Whether the data need no copy to the GPUs.
    bool is_resident() const { return place == "gpu" || place == "managed" || place == "prefetched"; }
    bool histogram = false, sum = false;
    int gpus = 1;
    std::size_t chunk = 0;  ///< bytes; 0 leaves the choice to the program
    std::size_t memory = std::size_t{256} << 20;
    std::size_t buffers = 0;  ///< per GPU, at most; 0 leaves the choice to the program
    std::size_t rounds = 1;
    bool parts = false;
    std::string bins, csv, timeline;
};

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @param[in] launch This process's rank. Only rank 0 writes files.
/// @throws BadOption that names the option and what it accepts.
inline StreamOptions parse_stream_options(int argc, char** argv, const Launch& launch) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
    StreamOptions options;
    CommandLine line;
    Option stream{
        "stream", "PATH",
        "the file or pipe to read; '-': standard input. With mpirun, ranks share a file; for a file "
        "per rank, %r stands for the rank's number. Or random data in:",
        [&options](const std::string& path) { options.path = path; }};
    for (const auto& [place, what] : kPlaces) stream.choices.emplace_back(place + ":SIZE", what);
    line.add(stream);
    line.flag("histogram", "count its bytes (default)", options.histogram);
    line.flag("sum", "add up the squares of its little-endian 32-bit integers", options.sum);
    line.number("gpus", "COUNT", "how many GPUs share the chunks; with mpirun, per rank (default 1)",
                options.gpus, 1, 64);
    line.number("chunk", "SIZE",
                "bytes that are read, copied and counted at a time (default 8M; files 4M, with several GPUs "
                "2M; simulator 1M)",
                options.chunk, kChunkAlignment, std::size_t{1} << 30, true);
    line.number("memory", "SIZE", "the most device memory to use per GPU (default 256M)", options.memory,
                2 * kChunkAlignment, kMost, true);
    line.number(
        "buffers", "COUNT",
        "the most buffers per GPU, each with a thread that reads and two host buffers (default 12; data "
        "in memory 2)",
        options.buffers, 1, 256);
    line.text("bins", "PATH", "write the histogram as lines of bin,count ('-': standard output)",
              options.bins);
    line.number("rounds", "COUNT", "how many times to run everything (default 1)", options.rounds, 1, 1000);
    line.flag("parts", "also time reading alone and copying alone", options.parts);
    line.text("csv", "PATH", "append the times to this CSV file ('-': standard output)", options.csv);
    line.text("timeline", "PATH",
              "write to this CSV file the times at which each chunk was read, copied and counted",
              options.timeline);
    line.parse(argc, argv);

    if (options.path.empty()) throw BadOption("--stream needs the file to read; --help lists the options");
    if (options.histogram && options.sum) throw BadOption("--histogram can't be combined with --sum");
    if (options.sum && !options.bins.empty()) throw BadOption("--sum has no bins to write: leave out --bins");
    if (options.chunk % kChunkAlignment != 0)
        throw BadOption("--chunk accepts a multiple of " + std::to_string(kChunkAlignment) + ", not " +
                        std::to_string(options.chunk));
    if (launch.count > 1 && (options.parts || !options.timeline.empty()))
        throw BadOption("--parts and --timeline are for one process: start it without mpirun");
    if (launch.rank != 0) options.bins = options.csv = "";
    options.own_files = launch.is_known && options.path.find("%r") != std::string::npos;
    const auto file_of = [&](int rank) {
        return options.own_files ? path_of_rank(options.path, rank) : options.path;
    };
    options.file = file_of(launch.rank);
    for (int rank = 0; rank < (options.own_files ? launch.count : 1); ++rank)
        require_outputs({{"csv", options.csv}, {"bins", options.bins}, {"timeline", options.timeline}},
                        {"stream", file_of(rank)});
    if (!options.own_files) options.part = {launch.rank, launch.count};
    const std::size_t colon = std::min(options.path.find(':'), options.path.size());
    const std::string place = options.path.substr(0, colon);
    if (colon < options.path.size() && std::any_of(kPlaces.begin(), kPlaces.end(),
                                                   [&](const auto& known) { return known.first == place; })) {
        options.generated_bytes =
            parse_number("stream", options.path.substr(colon + 1), 8, kMost, true) / 8 * 8;
        options.place = place;
        options.path.clear();
    }
    if (options.is_resident() && launch.count > 1)
        throw BadOption("--stream " + options.place + ":SIZE is for one process: start it without mpirun");
    if (options.is_resident() && line.has_any({"chunk", "memory", "buffers", "parts", "timeline"}))
        throw BadOption(
            "--stream " + options.place +
            ":SIZE has no chunks: leave out --chunk, --memory, --buffers, --parts and --timeline");
    return options;
}
