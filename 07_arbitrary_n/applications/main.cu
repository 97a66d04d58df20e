/// @file
/// @brief Chapter 07 at work: data of any size, read, copied and counted at the same time, on several GPUs.
///
///     ./course run 07 -- --stream FILE --gpus 4
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../../common/bench/histogram_report.hpp"
#include "../../common/bench/program.cuh"
#include "../../common/bench/row.hpp"
#include "../../common/bench/visible.hpp"
#include "../../common/cuda/timer.cuh"
#include "file_source.hpp"
#include "generated.cuh"
#include "options.hpp"
#include "parts.cuh"
#include "pipeline.cuh"
#include "signals.hpp"

namespace {

/// How many GPUs, buffers and bytes per chunk suit the options and the data.
/// @throws BadOption.
Shape choose_shape(const StreamOptions& options, const Work& work, const Source& source,
                   std::size_t chunk_bytes) {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    if (options.gpus > count)
        throw BadOption("--gpus accepts at most " + std::to_string(count) + ", as many as are visible, not " +
                        std::to_string(options.gpus));
    const std::size_t for_results = (work.results + 1) * sizeof(unsigned long long);
    if (options.memory < chunk_bytes + for_results)
        throw BadOption("--memory accepts at least a chunk and the results, " +
                        std::to_string(chunk_bytes + for_results) + " bytes, not " +
                        std::to_string(options.memory));
    std::size_t slots = std::min(options.buffers, (options.memory - for_results) / chunk_bytes);
    if (source.bytes()) {  // few chunks need few buffers
        const std::size_t shared = chunk_bytes * static_cast<std::size_t>(options.gpus);
        slots = std::clamp<std::size_t>((*source.bytes() + shared - 1) / shared, 1, slots);
    }
    return {options.gpus, slots, chunk_bytes};
}

/// @throws BadOption, std::runtime_error.
void require_whole_elements(const Work& work, const Source& source, std::uint64_t bytes) {
    if (bytes % work.element_bytes == 0) return;
    const std::string what = "--sum accepts integers of 4 bytes, but there are " + std::to_string(bytes) +
                             " bytes, which is no multiple of 4";
    if (source.bytes()) throw BadOption(what);
    throw std::runtime_error(what);
}

/// Shows how far the source is, if standard error is a terminal.
class Progress {
 public:
    ~Progress() {
        if (shown_) std::fprintf(stderr, "\r\033[K");
    }
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
    const bool is_terminal_ = isatty(STDERR_FILENO) == 1;
    bool shown_ = false;
    WallTimer timer_;
};

void print_time(const Time& time, bool simulated) {
    std::printf("  %-18s %s%s, %s GB/s\n", time.part.c_str(), format_seconds(time.seconds).c_str(),
                simulated ? " sim" : "", format_ratio(time.speed()).c_str());
}

void print_result(const Work& work, const Results& total, const Shape& shape) {
    std::printf("  %-18s %d, each with %zu buffers of %zu bytes\n", "GPUs", shape.gpus, shape.slots,
                shape.chunk_bytes);
    std::printf("  %-18s %016llx\n", "checksum", total.back());
    if (work.results == 1)
        std::printf("  %-18s %llu\n", "sum", total.front());
    else
        print_most_frequent({total.begin(), total.end() - 1});
}

/// The source of the options. It can be opened again, unless it is a pipe.
/// @throws std::invalid_argument.
std::unique_ptr<Source> open_data(const StreamOptions& options, const GeneratedData& generated,
                                  std::size_t chunk_bytes) {
    if (!options.path.empty()) return open_source(options.path, chunk_bytes);
    return std::make_unique<MemorySource>(generated.data(), options.memory_bytes, chunk_bytes);
}

int stream(const StreamOptions& options, const Device& device) {
    const Work& work = options.sum ? kSumSquares : kCountBytes;
    const std::size_t chunk_bytes =
        options.chunk != 0 ? options.chunk : std::size_t{device.simulated ? 1u : 16u} << 20;
    const GeneratedData generated(options.memory_bytes);
    std::unique_ptr<Source> source = open_data(options, generated, chunk_bytes);
    if (source->bytes())
        require_whole_elements(work, *source, *source->bytes());
    else if (options.rounds > 1 || options.parts)
        throw BadOption("--rounds and --parts need data that can be read again, and not a pipe");
    const Shape shape = choose_shape(options, work, *source, chunk_bytes);
    auto pipeline = std::make_unique<Pipeline>(work, shape);
    const SignalWatch signals;

    Results total;
    std::vector<Time> times;
    for (std::size_t round = 0; round < options.rounds && !source->is_stopped(); ++round) {
        if (round > 0) source = open_data(options, generated, chunk_bytes);
        pipeline->set_results({});
        Progress progress;
        WallTimer timer;
        pipeline->run(*source, [&] {
            progress.show(*source);
            if (SignalWatch::caught() != 0) source->stop();
        });
        total = pipeline->total();
        times.push_back({"everything", source->taken(), timer.stop()});
    }
    require_whole_elements(work, *source, source->taken());
    const bool stopped = source->is_stopped();
    const std::string name = options.path.empty()  ? "memory"
                             : options.path == "-" ? "standard input"
                                                   : visible(options.path);
    std::printf("%s of %s%llu bytes of %s, %s\n\n", work.name.c_str(), stopped ? "the first " : "",
                static_cast<unsigned long long>(source->taken()), name.c_str(), device.name.c_str());
    if (options.parts && !stopped) {
        for (std::size_t round = 0; round < options.rounds && !options.path.empty(); ++round)
            times.push_back(time_reading(*pipeline, *open_data(options, generated, chunk_bytes)));
        pipeline.reset();  // its memory is free again
        for (std::size_t round = 0; round < options.rounds; ++round)
            times.push_back(time_copying(shape, source->taken()));
    }
    for (const Time& time : times) print_time(time, device.simulated);
    print_result(work, total, shape);
    if (stopped) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: stopped by a signal: only the first %llu bytes are counted\n",
                     static_cast<unsigned long long>(source->taken()));
        return 128 + SignalWatch::caught();
    }
    if (!options.bins.empty()) write_bins(options.bins, {total.begin(), total.end() - 1});
    if (!options.csv.empty())
        append_times(options.csv, work.name + (options.path.empty() ? ",memory" : ",file"), shape,
                     device.name, times);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program([&] {
        const StreamOptions options = parse_stream_options(argc, argv);
        const Device device = init_cuda();
        return stream(options, device);
    });
}
