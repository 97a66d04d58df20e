/// @file
/// @brief Checks of chapter 07's applications: streams of chunks, on one and on several GPUs.
#include <barrier>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "../../common/bench/options.hpp"
#include "../../common/checks/catch.hpp"
#include "../../common/checks/folder.hpp"
#include "../../common/checks/setting.hpp"
#include "../../common/cuda/pinned.cuh"
#include "broken/early_reuse.cuh"
#include "broken/missing_wait.cuh"
#include "broken/unfinished_kernels.cuh"
#include "broken/whole_chunks_only.cuh"
#include "broken/wrong_device.cuh"
#include "file_source.hpp"
#include "pipeline.cuh"
#include "ranks.cuh"
#include "resident.cuh"
#include "timeline.cuh"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kChunk = kChunkAlignment;
const std::vector<std::size_t> kSizes = {0, 1, 9, kChunk - 1, kChunk, kChunk + 1, 5 * kChunk + 3};

/// The right results: the results, and then the checksum.
Results expected(const Work& work, const Bytes& bytes) {
    Results total;
    if (work.results == kBins) {
        total = reference_histogram(bytes.data(), bytes.size());
    } else {
        std::vector<int> ints(bytes.size() / sizeof(int));
        std::memcpy(ints.data(), bytes.data(), ints.size() * sizeof(int));
        total = {reference_sum(ints.data(), ints.size())};
    }
    unsigned long long checksum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        checksum += (2 * (i / 8) + 1) * (static_cast<unsigned long long>(bytes[i]) << i % 8 * 8);
    total.push_back(checksum);
    return total;
}

void no_watch() {}

/// @return What is wrong with the results of a source.
std::optional<std::string> check_source(Source& source, const Bytes& bytes, const Shape& shape,
                                        const Work& work = kCountBytes,
                                        const std::function<decltype(feed)>& take = feed) {
    Results total;
    const std::string error = thrown_by([&] {
        Pipeline pipeline(work, shape);
        pipeline.run(source, no_watch, take);
        total = pipeline.total();
    });
    cudaGetLastError();
    if (!error.empty()) return error;
    if (const auto wrong = verify_one_by_one(total, expected(work, bytes))) return wrong;
    if (source.taken() != bytes.size()) return "it took " + std::to_string(source.taken()) + " bytes";
    return std::nullopt;
}

/// Bytes that are copied to a buffer, as if they were read from a file.
class CopiedSource : public SizedSource {
 public:
    CopiedSource(const Bytes& bytes, std::size_t chunk_bytes)
        : SizedSource(bytes.size(), chunk_bytes), data_(bytes.data()) {}
    Chunk next(unsigned char* buffer) override {
        const Chunk chunk = claim();
        std::copy_n(data_ + chunk.first, chunk.size, buffer);
        return {buffer, chunk.first, chunk.size};
    }

 private:
    const unsigned char* const data_;
};

/// Bytes that a thread writes to a pipe.
class Writer {
 public:
    explicit Writer(const Bytes& bytes) {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        source = std::make_unique<PipeSource>("a pipe", OpenFile(ends[0]), kChunk);
        thread_ = std::thread([&bytes, end = ends[1]] {
            for (std::size_t done = 0; done < bytes.size();) {
                const ssize_t count =
                    write(end, bytes.data() + done, std::min<std::size_t>(1000, bytes.size() - done));
                if (count <= 0) break;
                done += static_cast<std::size_t>(count);
            }
            close(end);
        });
    }
    ~Writer() { thread_.join(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    std::unique_ptr<PipeSource> source;

 private:
    std::thread thread_;
};

std::string write_file(const Folder& folder, const Bytes& bytes) {
    std::ofstream(folder / "data", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return folder / "data";
}

/// As many devices as a GPU machine has; on the simulator, any number.
bool has_devices(int count) {
    int found = 0;
    return cudaGetDeviceCount(&found) == cudaSuccess && found >= count;
}

/// Bytes of which each slot gets a chunk.
class SharedSource : public CopiedSource {
 public:
    SharedSource(const Bytes& bytes, int slots)
        : CopiedSource(bytes, kChunk), slots_(slots), first_calls_(slots) {}
    Chunk next(unsigned char* buffer) override {
        if (calls_++ < slots_) first_calls_.arrive_and_wait();
        return CopiedSource::next(buffer);
    }

 private:
    const int slots_;
    std::atomic<int> calls_ = 0;
    std::barrier<> first_calls_;
};

/// @return What is wrong with a `feed`, on as many devices.
std::optional<std::string> check_feed(decltype(feed)* take, int gpus = 1) {
    const Setting devices("CUDA_SIM_DEVICES", static_cast<std::uint64_t>(gpus));
    const Bytes bytes = big_random_block(20 * kChunk, 1);
    SharedSource source(bytes, 2 * gpus);
    const auto wrong = check_source(source, bytes, {gpus, 2, kChunk}, kCountBytes, take);
    cudaDeviceReset();
    cudaGetLastError();
    return wrong;
}

/// @return The first of the simulator's seeds with which it does not say all of the parts of a broken `feed`.
std::optional<std::string> check_named(decltype(feed)* take, const std::vector<std::string>& parts) {
    for (std::uint64_t seed = 0; seed <= 10; ++seed) {
        const Setting setting("CUDA_SIM_SEED", seed);
        const std::string words = check_feed(take).value_or("");
        for (const std::string& part : parts)
            if (words.find(part) == std::string::npos) return "seed " + std::to_string(seed) + ": " + words;
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("files, pipes and memory of every size are counted right, in any order, on 1, 2 and 4 devices") {
    for (const int gpus : {1, 2, 4}) {
        const Setting devices("CUDA_SIM_DEVICES", static_cast<std::uint64_t>(gpus));
        if (!has_devices(gpus)) continue;
        for (const std::uint64_t seed : {0, 1, 2, 3}) {
            const Setting setting("CUDA_SIM_SEED", seed);
            for (const std::size_t size : kSizes) {
                INFO(size << " bytes, devices: " << gpus << ", seed " << seed);
                const Folder folder;
                const Bytes bytes = big_random_block(size, size + 1);
                const Shape shape{gpus, 2, kChunk};
                CHECK(check_source(*open_source(write_file(folder, bytes), kChunk), bytes, shape)
                          .value_or("") == "");
                CHECK(check_source(*Writer(bytes).source, bytes, shape).value_or("") == "");
                MemorySource memory(bytes.data(), size, kChunk);
                CHECK(check_source(memory, bytes, shape).value_or("") == "");
            }
        }
    }
}

TEST_CASE("squares are added up right, with any number of buffers and any size of chunks") {
    const Bytes bytes = big_random_block(300'004, 1);
    for (const std::uint64_t seed : {0, 1, 2})
        for (const std::size_t slots : {1, 2, 5})
            for (const std::size_t chunk : {kChunk, 3 * kChunk, 128 * kChunk}) {
                const Setting setting("CUDA_SIM_SEED", seed);
                INFO("seed " << seed << ", " << slots << " buffers of " << chunk << " bytes");
                CopiedSource source(bytes, chunk);
                CHECK(check_source(source, bytes, {1, slots, chunk}, kSumSquares).value_or("") == "");
            }
}

TEST_CASE("data on 1 to 4 devices or in managed memory have the results of the same data in host memory") {
    for (const int gpus : {1, 2, 3, 4}) {
        const Setting devices("CUDA_SIM_DEVICES", static_cast<std::uint64_t>(gpus));
        if (!has_devices(gpus)) continue;
        for (const std::size_t size : {std::size_t{8}, kChunk - 8, kChunk, kChunk + 8, 11 * kChunk + 16}) {
            const GeneratedData generated({0, size}, false);
            for (const char* place : {"gpu", "managed", "prefetched"})
                for (const Work* work : {&kCountBytes, &kSumSquares})
                    for (const std::uint64_t seed : {0, 1, 2}) {
                        const Setting setting("CUDA_SIM_SEED", seed);
                        INFO(place << ":" << size << ", devices: " << gpus << ", " << work->name << ", seed "
                                   << seed);
                        ResidentData data(*work, gpus, size, place);
                        data.run();
                        const std::vector<Time> times = data.run();
                        const Results right = expected(*work, {generated.data(), generated.data() + size});
                        CHECK(verify_one_by_one(data.total(), right).value_or("") == "");
                        CHECK(times.front().bytes == size);
                    }
        }
    }
}

TEST_CASE("a timeline has each chunk once, and a chunk's steps follow one another") {
    for (const int gpus : {1, 2}) {
        const Setting devices("CUDA_SIM_DEVICES", static_cast<std::uint64_t>(gpus));
        if (!has_devices(gpus)) continue;
        const Bytes bytes = big_random_block(20 * kChunk + 3, 1);
        for (const std::uint64_t seed : {0, 1}) {
            const Setting setting("CUDA_SIM_SEED", seed);
            Timeline timeline(gpus);
            CopiedSource source(bytes, kChunk);
            CHECK(check_source(source, bytes, {gpus, 2, kChunk}, kCountBytes, std::ref(timeline))
                      .value_or("") == "");
            const std::vector<ChunkTimes> chunks = timeline.chunks();
            CHECK(chunks.size() == 21);
            std::map<std::pair<int, std::size_t>, double> free_from;  // the slots' host buffers
            constexpr double kClocks = 1e-4;                          // a GPU's clock beside the host's
            std::uint64_t first = 0;
            for (const ChunkTimes& chunk : chunks) {
                CHECK(chunk.first == first);
                first += chunk.bytes;
                CHECK(chunk.read_from <= chunk.read_to);
                CHECK(chunk.read_to <= chunk.copy_from + kClocks);
                CHECK(chunk.copy_from <= chunk.copy_to);
                CHECK(chunk.count_from <= chunk.count_to);
                double& free = free_from[{chunk.gpu, chunk.slot}];
                CHECK(free <= chunk.read_from + kClocks);
                free = chunk.copy_to;
            }
            CHECK(free_from.size() <= 2 * static_cast<std::size_t>(gpus));
        }
    }
}

TEST_CASE(
    "a part's rounds become a row with their median, and everything has its share of the slowest part") {
    const std::vector<Row> rows = rows_of({.problem = "x"}, 4,
                                          {{kEverything, 4000, 4},
                                           {kEverything, 4000, 1},
                                           {kEverything, 4000, 2},
                                           {"(reading alone)", 4000, 1},
                                           {"(copying alone)", 8000, 1},
                                           {"all-reduce", 0, 3}});
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].timing.median == 2);
    CHECK(rows[0].n == 1000);
    CHECK(std::abs(rows[0].gigabytes_per_second - 2e-6) < 1e-12);
    CHECK(std::abs(rows[0].of_ceiling - 0.5) < 1e-12);
    CHECK(rows[1].timing.samples == 1);
    CHECK(std::isnan(rows[1].of_ceiling));
    CHECK(std::isnan(rows[3].gigabytes_per_second));
}

TEST_CASE("the checksum depends on each bit, and on the order of words") {
    const auto checksum = [](const Bytes& bytes) {
        CopiedSource source(bytes, kChunk);
        Pipeline pipeline(kCountBytes, {1, 2, kChunk});
        pipeline.run(source, no_watch);
        return pipeline.total().back();
    };
    Bytes bytes = big_random_block(2 * kChunk + 5, 1);
    const unsigned long long before = checksum(bytes);
    for (std::size_t i = 0; i < bytes.size(); i += 333) {
        bytes[i] ^= 0x80;
        CHECK(checksum(bytes) != before);
        bytes[i] ^= 0x80;
    }
    std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + kChunk);
    CHECK(checksum(bytes) != before);
}

TEST_CASE("the parts of a file or of memory add up to the whole") {
    for (const std::size_t size : kSizes)
        for (const int count : {1, 2, 3, 7}) {
            INFO(size << " bytes in " << count << " parts");
            const Folder folder;
            const Bytes bytes = big_random_block(size, size + 1);
            const std::string path = write_file(folder, bytes);
            Results file_sums(kBins + 1), memory_sums(kBins + 1);
            const auto add = [](Results& sums, Source& part) {
                Pipeline pipeline(kCountBytes, {1, 2, kChunk});
                pipeline.run(part, no_watch);
                const Results total = pipeline.total();
                for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += total[k];
            };
            for (int number = 0; number < count; ++number) {
                const Range range = range_of({number, count}, size, kChunk);
                MemorySource memory(bytes.data() + range.first, size, kChunk, {number, count});
                add(memory_sums, memory);
                add(file_sums, *open_source(path, kChunk, {number, count}));
            }
            CHECK(verify_one_by_one(memory_sums, expected(kCountBytes, bytes)).value_or("") == "");
            CHECK(verify_one_by_one(file_sums, expected(kCountBytes, bytes)).value_or("") == "");
        }
}

TEST_CASE("ranks that see the same GPUs use different ones, as long as there are enough") {
    const Setting devices("CUDA_SIM_DEVICES", 4);
    if (!has_devices(4)) return skip_check("needs four devices");
    static std::set<int> used;
    static std::mutex one_at_a_time;
    const auto note_device = [](Source&, const Slot& slot, const Work&, unsigned long long*) {
        const std::lock_guard lock(one_at_a_time);
        used.insert(slot.device);
    };
    const auto used_by = [&](const Part& rank) {
        used.clear();
        MemorySource nothing(nullptr, 0, kChunk);
        Pipeline(kCountBytes, {2, 2, kChunk, choose_first_gpu(2, rank)}).run(nothing, no_watch, note_device);
        return used;
    };
    CHECK(used_by({0, 3}) == std::set<int>{0, 1});
    CHECK(used_by({1, 3}) == std::set<int>{2, 3});
    CHECK(used_by({2, 3}) == std::set<int>{0, 1});
}

TEST_CASE("several ranks without MPI are refused") {
    CHECK(thrown_by([] {
              const Ranks ranks({0, 4, true}, {});
          }) ==
          "4 ranks were started, but this program was built without MPI, so that each would count "
          "everything: install libopenmpi-dev and build it again, or start it without mpirun");
}

TEST_CASE("counts pass 2^32") {
    const Bytes bytes = big_random_block(3 * kChunk, 1);
    Results start(kBins, 0xffffffffull), total = expected(kCountBytes, bytes);
    for (std::size_t b = 0; b < kBins; ++b) total[b] += start[b];
    for (const int gpus : {1, 2}) {
        const Setting devices("CUDA_SIM_DEVICES", static_cast<std::uint64_t>(gpus));
        if (!has_devices(gpus)) continue;
        Pipeline pipeline(kCountBytes, {gpus, 2, kChunk});
        pipeline.set_results(start);
        CopiedSource source(bytes, kChunk);
        pipeline.run(source, no_watch);
        CHECK(verify_one_by_one(pipeline.total(), total).value_or("") == "");
    }
}

TEST_CASE("a file that is shortened has no result, and the error says so") {
    const Folder folder;
    const std::string path = write_file(folder, big_random_block(3 * kChunk, 1));
    for (const std::size_t size : {std::size_t{0}, 2 * kChunk, 3 * kChunk - 1}) {
        const auto source = open_source(path, kChunk);
        std::filesystem::resize_file(path, size);
        Pipeline pipeline(kCountBytes, {1, 1, kChunk});
        CHECK(thrown_by([&] { pipeline.run(*source, no_watch); }) ==
              path + ": has been shortened from 12288 bytes to " + std::to_string(size) +
                  " while it was read: no result");
        std::filesystem::resize_file(path, 3 * kChunk);
    }
}

TEST_CASE("a file that can't be read has no result, and the error says why") {
    Pipeline pipeline(kCountBytes, {1, 2, kChunk});
    CHECK(thrown_by([&] { pipeline.run(*open_source("/proc/self/mem", kChunk), no_watch); }) ==
          "/proc/self/mem: Input/output error: no result");
}

TEST_CASE("after a stop, the first bytes are counted without a gap") {
    const Bytes bytes = big_random_block(20 * kChunk, 1);
    class Stopping : public CopiedSource {
     public:
        using CopiedSource::CopiedSource;
        Chunk next(unsigned char* buffer) override {
            const Chunk chunk = CopiedSource::next(buffer);
            if (chunk.first >= 7 * kChunk) stop();
            return chunk;
        }
    } source(bytes, kChunk);
    Pipeline pipeline(kCountBytes, {1, 3, kChunk});
    pipeline.run(source, no_watch);
    REQUIRE(source.taken() >= 8 * kChunk);
    REQUIRE(source.taken() < bytes.size());
    const Bytes first(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(source.taken()));
    CHECK(verify_one_by_one(pipeline.total(), expected(kCountBytes, first)).value_or("") == "");
}

TEST_CASE("a silent pipe can be stopped, and whole words that came before are counted") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const Bytes bytes = big_random_block(21, 1);
    REQUIRE(write(ends[1], bytes.data(), bytes.size()) == 21);
    PipeSource source("a pipe", OpenFile(ends[0]), kChunk);
    Pipeline pipeline(kCountBytes, {1, 2, kChunk});
    pipeline.run(source, [&] { source.stop(); });
    CHECK(source.taken() == 16);
    const Bytes first(bytes.begin(), bytes.begin() + 16);
    CHECK(verify_one_by_one(pipeline.total(), expected(kCountBytes, first)).value_or("") == "");
    close(ends[1]);
}

TEST_CASE("a host buffer that is filled before its copy is done is named", "[order]") {
    CHECK(check_named(missing_wait::feed, {"cudaMemcpyAsync in stream ", "broken/missing_wait.cuh:",
                                           "byte 0 of a pinned buffer of 4096 bytes allocated at ",
                                           "pipeline.cuh:", "the host has changed without waiting for it"})
              .value_or("") == "");
}

TEST_CASE("a device buffer that is overwritten before its kernels are done is named", "[order]") {
    CHECK(check_named(early_reuse::feed,
                      {"work.cuh:", " of a buffer of 4096 bytes allocated at ",
                       "pipeline.cuh:", "which cudaMemcpyAsync in stream ",
                       "broken/early_reuse.cuh:", " writes: no event", "this kernel in stream "})
              .value_or("") == "");
}

TEST_CASE("results that are added up before all kernels are done are named", "[order]") {
    CHECK(check_named(unfinished_kernels::feed, {"work.cuh:", " of a buffer of 2056 bytes allocated at ",
                                                 "pipeline.cuh:", "which cudaMemcpy in the default stream ",
                                                 " reads: no event", "this kernel in stream "})
              .value_or("") == "");
}

TEST_CASE("the README quotes what is said of a missing wait", "[order]") {
    const auto general = [](std::string text) {  // threads may come in any order, and lines are g++'s
#ifdef __clang__
        const auto before_numbers = {"stream ", ".cuh:"};
#else
        const auto before_numbers = {"stream "};
#endif
        for (const std::string before : before_numbers)
            for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
                at += before.size();
                text.erase(at, text.find_first_not_of("0123456789", at) - at);
            }
        return text;
    };
    std::ifstream file("07_arbitrary_n/applications/README.md");
    const std::string readme{std::istreambuf_iterator<char>(file), {}};
    const std::string words = check_feed(missing_wait::feed).value_or("");
    const std::string said = words.substr(words.find("cudaMemcpyAsync in"));
    CAPTURE(said);
    CHECK(general(readme).find("\nsimulator: " + general(said.substr(0, said.rfind(" (cudaError"))) + "\n") !=
          std::string::npos);
}

TEST_CASE("a thread that works with the wrong device is found") {
    const Setting devices("CUDA_SIM_DEVICES", 2);
    if (!has_devices(2)) return skip_check("needs two devices");
    CHECK(check_feed(wrong_device::feed, 2));
}

TEST_CASE("a last chunk that is forgotten is found") {
    const Bytes bytes = big_random_block(5 * kChunk + 3, 1);
    whole_chunks_only::MemorySource source(bytes.data(), bytes.size(), kChunk);
    CHECK(check_source(source, bytes, {1, 2, kChunk}));
}

TEST_CASE("nothing is found in the pipeline of which the broken ones are copies") {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        const Setting setting("CUDA_SIM_SEED", seed);
        CHECK(check_feed(feed).value_or("") == "");
    }
}
