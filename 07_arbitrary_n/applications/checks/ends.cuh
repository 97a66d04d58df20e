/// @file
/// @brief Checks of streams that end early: errors, and requests to stop.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "../report/parts.cuh"
#include "sources.cuh"

namespace stream_checks {

TEST_CASE("a file that is shortened has no result, and the error says so") {
    const Folder folder;
    const std::string path = write_file(folder, big_random_block(3 * kChunk, 1));
    for (const std::size_t size : {std::size_t{0}, 2 * kChunk, 3 * kChunk - 1}) {
        const auto source = open_source(path, kChunk);
        std::filesystem::resize_file(path, size);
        const Slot slot(0, kChunk);
        errno = EINTR;  // as an earlier call may leave it: the end of a file must not be taken for it
        CHECK(thrown_by([&] { only_read(*source, slot, kCountBytes, nullptr); }) ==
              path + ": has been shortened from 12288 bytes to " + std::to_string(size) +
                  " while it was read: no result");
        std::filesystem::resize_file(path, 3 * kChunk);
    }
}

TEST_CASE("data outside the system's cache are read past it, and leave no mapping") {
    const Folder folder;
    const Bytes bytes = big_random_block(4 * kChunk + 5, 1);
    const std::string path = write_file(folder, bytes);
    const OpenFile file(open(path.c_str(), O_RDONLY)), direct(open(path.c_str(), O_RDONLY | O_DIRECT));
    if (direct.number() < 0) return skip_check("needs a file system with O_DIRECT");
    const auto cached_pages = [&] {
        void* const pages = mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, file.number(), 0);
        std::vector<unsigned char> states(bytes.size() / kChunkAlignment + 1, 0);
        CHECK(mincore(pages, bytes.size(), states.data()) == 0);
        munmap(pages, bytes.size());
        return std::count_if(states.begin(), states.end(), [](auto state) { return state % 2 == 1; });
    };
    fsync(file.number());
    posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
    if (cached_pages() > 0) return skip_check("needs a file system whose cache can be emptied");
    const Slot slot(0, kChunk);
    only_read(*open_source(path, kChunk), slot, kCountBytes, nullptr);
    CHECK(cached_pages() == 0);
    std::ifstream mappings("/proc/self/maps");
    const std::string all{std::istreambuf_iterator<char>(mappings), {}};
    CHECK(all.find(path) == std::string::npos);
}

TEST_CASE("a source closes its file, but not standard input") {
    const Folder folder;
    const std::string path = write_file(folder, Bytes(9));
    const auto open_files = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    };
    const auto before = open_files();
    {
        const auto source = open_source(path, kChunk);
        CHECK(open_files() > before);
    }
    CHECK(open_files() == before);
    thrown_by([] { open_source("-", kChunk); });
    CHECK(fcntl(STDIN_FILENO, F_GETFD) != -1);
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
