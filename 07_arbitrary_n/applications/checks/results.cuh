/// @file
/// @brief Checks that every stream is counted right, wherever its data are.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "../../../common/cuda/pinned.cuh"
#include "../report/parts.cuh"
#include "../report/timeline.cuh"
#include "../streaming/resident.cuh"
#include "sources.cuh"

namespace stream_checks {

TEST_CASE("files, pipes and memory of every size are counted right, in any order, on 1, 2 and 4 devices") {
    for (const int gpus : {1, 2, 4}) {
        const Devices devices(gpus);
        if (!has_devices(gpus)) continue;
        for (const std::uint64_t seed : seeds(4)) {
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
    for (const std::uint64_t seed : seeds(3))
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
        const Devices devices(gpus);
        if (!has_devices(gpus)) continue;
        for (const std::size_t size : {std::size_t{8}, kChunk - 8, kChunk, kChunk + 8, 11 * kChunk + 16}) {
            const GeneratedData generated({0, size}, false);
            for (const char* place : {"gpu", "managed", "prefetched"})
                for (const Work* work : {&kCountBytes, &kSumSquares})
                    for (const std::uint64_t seed : seeds(3)) {
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
        const Devices devices(gpus);
        if (!has_devices(gpus)) continue;
        const Bytes bytes = big_random_block(20 * kChunk + 3, 1);
        for (const std::uint64_t seed : seeds(2)) {
            const Setting setting("CUDA_SIM_SEED", seed);
            Timeline timeline(gpus);
            CopiedSource source(bytes, kChunk);
            CHECK(check_source(source, bytes, {gpus, 2, kChunk}, kCountBytes, std::ref(timeline))
                      .value_or("") == "");
            const std::vector<ChunkTimes> chunks = timeline.chunks();
            CHECK(chunks.size() == 21);
            std::map<std::pair<int, std::size_t>, std::vector<double>> copied;  // end times, by GPU, slot
            const double error = timeline.clock_error() + 2e-6;  // plus the resolution of an event's time
            std::uint64_t first = 0;
            for (const ChunkTimes& chunk : chunks) {
                CHECK(chunk.first == first);
                first += chunk.bytes;
                CHECK(chunk.read_from <= chunk.read_to);
                CHECK(chunk.read_to <= chunk.copy_from + error);
                CHECK(chunk.copy_from <= chunk.copy_to);
                CHECK(chunk.count_from <= chunk.count_to);
                std::vector<double>& ends = copied[{chunk.gpu, chunk.slot}];
                if (ends.size() >= 2) CHECK(ends[ends.size() - 2] <= chunk.read_from + error);
                ends.push_back(chunk.copy_to);
            }
            CHECK(copied.size() <= 2 * static_cast<std::size_t>(gpus));
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

TEST_CASE("parts that are timed alone process all bytes, to the nearest chunk per GPU") {
    const Devices devices(2);
    if (!has_devices(2)) return skip_check("needs two devices");
    const Bytes bytes = big_random_block(5 * kChunk + 3, 1);
    const Shape shape{2, 2, kChunk};
    CopiedSource source(bytes, kChunk);
    Pipeline pipeline(kCountBytes, shape);
    CHECK(time_reading(pipeline, source).bytes == bytes.size());
    CHECK(time_copying(shape, bytes.size()).bytes == 4 * kChunk);
    CHECK(time_copying(shape, 0).bytes == 2 * kChunk);
    const Slot slot(1, kChunk);
    CUDA_CHECK(cudaMemset(slot.d_data.data(), 0, kChunk));
    std::copy_n(bytes.begin(), kChunk, slot.host[0].data);
    only_copy(slot, 0);
    CHECK(slot.d_data.to_host() == Bytes(kChunk));
    only_copy(slot, 1);
    CHECK(slot.d_data.to_host() == Bytes(bytes.begin(), bytes.begin() + kChunk));
}

TEST_CASE("a slot frees its memory, its stream and its events") {
    if (!is_simulated()) return skip_check("needs the simulator, which reports uses of what was freed");
    auto slot = std::make_unique<Slot>(0, kChunk);
    unsigned char *const first = slot->host[0].data, *const second = slot->host[1].data;
    const cudaEvent_t first_copied = slot->host[0].copied, second_copied = slot->host[1].copied;
    unsigned char* const d_data = slot->d_data.data();
    const cudaStream_t stream = slot->stream;
    slot.reset();
    for (unsigned char* const data : {first, second}) CHECK(cudaFreeHost(data) != cudaSuccess);
    for (const cudaEvent_t copied : {first_copied, second_copied})
        CHECK(cudaEventSynchronize(copied) != cudaSuccess);
    CHECK(cudaFree(d_data) != cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) != cudaSuccess);
    cudaGetLastError();
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

TEST_CASE("counts pass 2^32") {
    const Bytes bytes = big_random_block(3 * kChunk, 1);
    Results start(kBins, 0xffffffffull), total = expected(kCountBytes, bytes);
    for (std::size_t b = 0; b < kBins; ++b) total[b] += start[b];
    for (const int gpus : {1, 2}) {
        const Devices devices(gpus);
        if (!has_devices(gpus)) continue;
        Pipeline pipeline(kCountBytes, {gpus, 2, kChunk});
        pipeline.set_results(start);
        CopiedSource source(bytes, kChunk);
        pipeline.run(source, no_watch);
        CHECK(verify_one_by_one(pipeline.total(), total).value_or("") == "");
    }
}

}  // namespace stream_checks
