/// @file
/// @brief Checks of streams that end early: errors, and requests to stop.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "sources.cuh"

namespace stream_checks {

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

}  // namespace stream_checks
