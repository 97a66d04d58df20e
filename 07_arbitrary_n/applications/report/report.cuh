/// @file
/// @brief The output of a run: its progress and its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../../../common/bench/histogram_report.hpp"
#include "../../../common/bench/row.hpp"
#include "../../../common/bench/terminal.hpp"
#include "../../../common/bench/visible.hpp"
#include "../../../common/cuda/timer.cuh"
#include "../input/source.hpp"
#include "../options.hpp"
#include "../ranks/ranks.hpp"
#include "../streaming/pipeline.cuh"
#include "times.cuh"

/// A line that shows how much of the source has been read. It disappears at the end.
class Progress {
 public:
    ~Progress() {
        if (shown_) std::fprintf(stderr, "\r\033[K");
    }
    /// Replaces the line with the source's progress, if standard error is a terminal.
    void show(const Source& source) {
        if (!is_terminal_) return;
        const double done = static_cast<double>(source.taken()), speed = done / timer_.stop();
        std::string text = format_ratio(done / 1e9) + " GB, " + format_ratio(speed / 1e9) + " GB/s";
        if (source.bytes() && done > 0 && source.taken() < *source.bytes())
            text += ", " + format_seconds((static_cast<double>(*source.bytes()) - done) / speed) + " left";
        std::fprintf(stderr, "\r%s\033[K", text.c_str());
        shown_ = true;
    }

 private:
    const bool is_terminal_ = is_terminal(stderr);
    bool shown_ = false;
    WallTimer timer_;
};

/// The findings of a run.
struct Outcome {
    std::uint64_t bytes;
    bool stopped;              ///< only the first bytes are counted
    Shape shape;               ///< `slots` is 0 for data that need no buffers
    std::size_t device_bytes;  ///< used memory of the first GPU; 0 if unknown
    std::vector<Time> times;
    Results total;  ///< the results, and then the checksum
};

/// Prints the outcome and, unless the run was stopped, writes the bins and the rows that are requested.
inline void report(const StreamOptions& options, const Work& work, const Device& device, const Ranks& ranks,
                   const Outcome& outcome) {
    const auto& [bytes, stopped, shape, device_bytes, times, total] = outcome;
    const std::string name = options.path.empty()  ? "random data (" + options.place + ")"
                             : options.path == "-" ? "standard input"
                                                   : visible(options.path);
    std::printf("%s of %s%llu bytes of %s, %s\n\n", work.name.c_str(), stopped ? "the first " : "",
                static_cast<unsigned long long>(bytes), name.c_str(), device.name.c_str());
    const std::vector<Row> rows = rows_of({.chapter = "07_arbitrary_n",
                                           .problem = work.problem,
                                           .device = device.name,
                                           .input = options.place,
                                           .simulated = device.simulated},
                                          work.element_bytes, times);
    print_times(rows);
    std::printf("  %-18s %d", ranks.launch().count == 1 ? "GPUs" : "GPUs per rank", shape.gpus);
    if (shape.slots > 0)
        std::printf(", each with %zu buffer%s of %zu bytes", shape.slots, shape.slots == 1 ? "" : "s",
                    shape.chunk_bytes);
    std::printf("\n");
    int visible_gpus = 0;
    CUDA_CHECK(cudaGetDeviceCount(&visible_gpus));
    if (ranks.sharing().count * shape.gpus > visible_gpus)
        std::printf("  %-18s %d ranks share this host's GPUs, of which there are only %d\n", "",
                    ranks.sharing().count, visible_gpus);
    if (device_bytes > 0)
        std::printf("  %-18s %.0f MiB of the first GPU\n", "memory",
                    static_cast<double>(device_bytes) / (1 << 20));
    std::printf("  %-18s %016llx\n", "checksum", total.back());
    if (work.results == 1)
        std::printf("  %-18s %llu\n", "sum", total.front());
    else
        print_most_frequent({total.begin(), total.end() - 1});
    if (stopped) return;
    if (!options.bins.empty()) write_bins(options.bins, {total.begin(), total.end() - 1});
    append_csv(options.csv, rows,
               {{"gpus", static_cast<std::size_t>(shape.gpus)},
                {"chunk", shape.chunk_bytes},
                {"buffers", shape.slots},
                {"device_bytes", device_bytes}});
}
