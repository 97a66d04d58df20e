/// @file
/// @brief Checks that each broken pipeline is found.
#pragma once

#include <barrier>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "../broken/early_reuse.cuh"
#include "../broken/missing_wait.cuh"
#include "../broken/unfinished_kernels.cuh"
#include "../broken/whole_chunks_only.cuh"
#include "../broken/wrong_device.cuh"
#include "sources.cuh"

namespace stream_checks {

/// Why a check is skipped on a GPU, where such a fault may go unnoticed.
constexpr const char* kNeedsSimulator = "only the simulator finds this in every run";

/// Hands out chunks of bytes. The first calls wait for each other, so each slot gets a chunk.
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

/// @return What is wrong with a `feed` on `gpus` devices.
std::optional<std::string> check_feed(decltype(feed)* take, int gpus = 1) {
    const Devices devices(gpus);
    const Bytes bytes = big_random_block(20 * kChunk, 1);
    SharedSource source(bytes, 2 * gpus);
    const auto wrong = check_source(source, bytes, {gpus, 2, kChunk}, kCountBytes, take);
    cudaDeviceReset();
    cudaGetLastError();
    return wrong;
}

/// @return The first seed for which the simulator's message about a broken `feed` lacks one of the parts, and
/// this message; nothing if none lacks any.
std::optional<std::string> check_named(decltype(feed)* take, const std::vector<std::string>& parts) {
    for (std::uint64_t seed = 0; seed <= 10; ++seed) {
        const Setting setting("CUDA_SIM_SEED", seed);
        const std::string words = check_feed(take).value_or("");
        for (const std::string& part : parts)
            if (words.find(part) == std::string::npos) return "seed " + std::to_string(seed) + ": " + words;
    }
    return std::nullopt;
}

TEST_CASE("a host buffer that is filled before its copy is done is named", "[order]") {
    if (!is_simulated()) return skip_check(kNeedsSimulator);
    CHECK(check_named(missing_wait::feed,
                      {"cudaMemcpyAsync in stream ",
                       "broken/missing_wait.cuh:", "byte 0 of a pinned buffer of 4096 bytes allocated at ",
                       "pipeline.cuh:", "the host has changed without waiting for this copy"})
              .value_or("") == "");
}

TEST_CASE("a device buffer that is overwritten before its kernels are done is named", "[order]") {
    if (!is_simulated()) return skip_check(kNeedsSimulator);
    CHECK(check_named(early_reuse::feed,
                      {"work.cuh:", " of a buffer of 4096 bytes allocated at ",
                       "pipeline.cuh:", "which cudaMemcpyAsync in stream ",
                       "broken/early_reuse.cuh:", " writes: no event", "this kernel in stream "})
              .value_or("") == "");
}

TEST_CASE("results that are added up before all kernels are done are named", "[order]") {
    if (!is_simulated()) return skip_check(kNeedsSimulator);
    CHECK(check_named(unfinished_kernels::feed, {"work.cuh:", " of a buffer of 2056 bytes allocated at ",
                                                 "pipeline.cuh:", "which cudaMemcpy in the default stream ",
                                                 " reads: no event", "this kernel in stream "})
              .value_or("") == "");
}

TEST_CASE("the README quotes the message about a missing wait", "[order]") {
    if (!is_simulated()) return skip_check(kNeedsSimulator);
    const auto general = [](std::string text) {  // without numbers of streams, and of lines, which are g++'s
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
    // CUDA's programming guide forbids it, but an H200 with CUDA 13 launches kernels in another device's
    // stream.
    if (!is_simulated()) return skip_check(kNeedsSimulator);
    CHECK(check_feed(wrong_device::feed, 2));
}

TEST_CASE("a last chunk that is forgotten is found") {
    const Bytes bytes = big_random_block(5 * kChunk + 3, 1);
    whole_chunks_only::MemorySource source(bytes.data(), bytes.size(), kChunk);
    CHECK(check_source(source, bytes, {1, 2, kChunk}));
}

TEST_CASE("no fault is found in the pipeline from which the broken ones were copied") {
    for (const std::uint64_t seed : seeds(4)) {
        const Setting setting("CUDA_SIM_SEED", seed);
        CHECK(check_feed(feed).value_or("") == "");
    }
}

}  // namespace stream_checks
