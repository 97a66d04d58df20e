/// @file
/// @brief Chapter 07 at work: data of any size, read, copied and counted at the same time, on several GPUs.
///
///     ./course run 07 -- --stream FILE --gpus 4
///
/// ./course reads this line: it starts this program for the first option there.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../common/bench/program.cuh"
#include "../../common/cuda/timer.cuh"
#include "input/file_source.hpp"
#include "input/generated.cuh"
#include "options.hpp"
#include "ranks/ranks.cuh"
#include "ranks/signals.hpp"
#include "report/parts.cuh"
#include "report/report.cuh"
#include "report/timeline.cuh"
#include "report/times.cuh"
#include "streaming/pipeline.cuh"
#include "streaming/resident.cuh"

namespace {

/// Settings that CUDA and NCCL read when they start, unless the user has chosen others.
void configure_libraries() {
    // Streams share hardware queues, 8 by default. In a queue, a copy waits for the kernel before it, even if
    // that is in another stream.
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    // Each of NCCL's channels has buffers on each GPU. One channel suffices for 2 KiB.
    setenv("NCCL_MAX_CTAS", "1", 0);
}

/// @throws BadOption if fewer GPUs are visible.
void require_gpus(int gpus) {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    if (gpus > count)
        throw BadOption("--gpus accepts at most " + std::to_string(count) + ", as many as are visible, not " +
                        std::to_string(gpus));
}

/// How many GPUs, buffers and bytes per chunk suit the options and the data.
/// @throws BadOption.
Shape choose_shape(const StreamOptions& options, const Work& work, const Source& source,
                   std::size_t chunk_bytes, int first_gpu) {
    const std::size_t for_results = (work.results + 1) * sizeof(unsigned long long);
    if (options.memory < chunk_bytes + for_results)
        throw BadOption("--memory accepts at least a chunk and the results, " +
                        std::to_string(chunk_bytes + for_results) + " bytes, not " +
                        std::to_string(options.memory));
    // Data in memory need no threads that read: one chunk is copied while another is counted.
    const std::size_t suitable = options.place == "file" ? 12 : 2;
    std::size_t slots = std::min(options.buffers != 0 ? options.buffers : suitable,
                                 (options.memory - for_results) / chunk_bytes);
    if (source.bytes()) {  // few chunks need few buffers
        const std::size_t shared = chunk_bytes * static_cast<std::size_t>(options.gpus * options.part.count);
        slots = std::clamp<std::size_t>((*source.bytes() + shared - 1) / shared, 1, slots);
    }
    return {options.gpus, slots, chunk_bytes, first_gpu};
}

/// @throws BadOption, std::runtime_error.
void require_whole_elements(const Work& work, const Source& source, std::uint64_t bytes) {
    if (bytes % work.element_bytes == 0) return;
    const std::string what = "--sum accepts integers of 4 bytes, but there are " + std::to_string(bytes) +
                             " bytes, which is not a multiple of 4";
    if (source.bytes()) throw BadOption(what);
    throw std::runtime_error(what);
}

/// Counts data that need no copy to the GPUs.
void count_resident(const StreamOptions& options, const Work& work, const Device& device,
                    const Ranks& ranks) {
    // More managed memory than a GPU has free can make it hang.
    if (options.place != "gpu" && options.generated_bytes > device.free_bytes / 2)
        throw BadOption("--stream " + options.place + ":SIZE accepts at most " +
                        std::to_string(device.free_bytes / 2) + " bytes, half of the memory that is free");
    ResidentData data(work, options.gpus, options.generated_bytes, options.place);
    data.run();  // not timed: NCCL connects the GPUs
    std::vector<Time> times;
    for (std::size_t round = 0; round < options.rounds; ++round)
        for (const Time& part : data.run()) times.push_back(part);
    report(options, work, device, ranks,
           {options.generated_bytes, false, {options.gpus, 0, 0}, 0, times, data.total()});
}

/// Opens the source that the options name, from the start of its data; a pipe can be opened only once.
/// @throws std::invalid_argument.
std::unique_ptr<Source> open_data(const StreamOptions& options, const GeneratedData& generated,
                                  std::size_t chunk_bytes) {
    if (!options.path.empty()) return open_source(options.file, chunk_bytes, options.part);
    return std::make_unique<MemorySource>(generated.data(), options.generated_bytes, chunk_bytes,
                                          options.part);
}

/// Counts data that pass through the pipeline. @return The exit status.
int stream(const StreamOptions& options, const Work& work, const Device& device, int first_gpu,
           Ranks& ranks) {
    // A file has small chunks, so that the host buffers of all GPUs fit in the CPU's cache.
    const std::size_t of_file = options.gpus > 1 ? 2 : 4;
    const std::size_t mebibytes = device.simulated ? 1 : options.place == "file" ? of_file : 8;
    const std::size_t chunk_bytes = options.chunk != 0 ? options.chunk : mebibytes << 20;
    const GeneratedData generated(range_of(options.part, options.generated_bytes, chunk_bytes),
                                  options.place == "memory");
    std::unique_ptr<Source> source = open_data(options, generated, chunk_bytes);
    if (source->bytes())
        require_whole_elements(work, *source, *source->bytes());
    else if (ranks.launch().count > 1)
        throw BadOption("several ranks need a file of known size, not a pipe");
    else if (options.rounds > 1 || options.parts)
        throw BadOption("--rounds and --parts need data that can be read again, not a pipe");
    const Shape shape = choose_shape(options, work, *source, chunk_bytes, first_gpu);
    auto pipeline = std::make_unique<Pipeline>(work, shape);
    const bool is_alone = ranks.launch().count == 1;
    std::optional<SignalWatch> signals;
    if (is_alone) signals.emplace();

    Results total;
    std::uint64_t bytes = 0;
    std::vector<Time> times;
    std::unique_ptr<Timeline> timeline;  // the last round's
    for (std::size_t round = 0; round < options.rounds && !source->is_stopped(); ++round) {
        if (round > 0) source = open_data(options, generated, chunk_bytes);
        pipeline->set_results({});
        if (!options.timeline.empty()) timeline = std::make_unique<Timeline>(options.gpus);
        place_among_ranks(*source, options, ranks);
        ranks.begin();
        Progress progress;
        WallTimer timer;
        const auto watch = [&] {
            if (is_alone) progress.show(*source);
            if (SignalWatch::caught() != 0) source->stop();
        };
        if (timeline)
            pipeline->run(*source, watch, std::ref(*timeline));
        else
            pipeline->run(*source, watch);
        total = pipeline->total();
        total.push_back(source->taken());
        ranks.add_up(total);
        bytes = total.back();
        total.pop_back();
        times.push_back(
            {is_alone ? kEverything : std::to_string(ranks.launch().count) + " ranks", bytes, timer.stop()});
        if (SignalWatch::caught() != 0) source->stop();  // the round may have been too short for `watch`
    }
    require_whole_elements(work, *source, bytes);
    const bool stopped = source->is_stopped();
    // Another process may have freed more than this one has allocated.
    const std::size_t device_bytes =
        device.simulated ? 0
                         : device.free_bytes - std::min(device.free_bytes, init_cuda(first_gpu).free_bytes);
    if (options.parts && !stopped) {
        for (std::size_t round = 0; round < options.rounds && !options.path.empty(); ++round)
            times.push_back(time_reading(*pipeline, *open_data(options, generated, chunk_bytes)));
        pipeline.reset();  // frees its memory
        for (std::size_t round = 0; round < options.rounds; ++round)
            times.push_back(time_copying(shape, bytes));
    }
    report(options, work, device, ranks, {bytes, stopped, shape, device_bytes, times, total});
    if (stopped) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: stopped by a signal: only the first %llu bytes are counted\n",
                     static_cast<unsigned long long>(bytes));
        return 128 + SignalWatch::caught();
    }
    if (timeline) write_output(options.timeline, timeline->csv(device));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    configure_libraries();
    const Launch launch = find_launch();
    return run_program(
        [&] {
            // Static, so that it is destroyed, and leaves MPI, even if --help ends the program.
            static Ranks ranks(launch, first_gpu_id());
            return ranks.run([&] {
                const StreamOptions options = parse_stream_options(argc, argv, ranks.launch());
                require_gpus(options.gpus);
                const int first_gpu = choose_first_gpu(options.gpus, ranks.sharing());
                const Device device = init_cuda(first_gpu);
                const Work& work = options.sum ? kSumSquares : kCountBytes;
                if (!options.is_resident()) return stream(options, work, device, first_gpu, ranks);
                count_resident(options, work, device, ranks);
                return 0;
            });
        },
        launch.prefix());
}
