/// @file
/// @brief Checks of streams that are longer than 32 bits can count, of which little is read.
#pragma once

#include "../../../common/checks/far_elements.cuh"
#include "../streaming/resident.cuh"
#include "sources.cuh"

namespace stream_checks {

TEST_CASE("chunks past 2^32 bytes follow one another, and know their place") {
    struct : SizedSource {
        using SizedSource::SizedSource;
        Chunk next(unsigned char*) override { return claim(); }
    } source((1ull << 40) + 3, 1ull << 33, {1, 2});
    std::uint64_t first = 1ull << 39;
    for (Chunk chunk = source.next(nullptr); chunk.size > 0; chunk = source.next(nullptr)) {
        REQUIRE(chunk.first == first);
        REQUIRE(chunk.size == std::min<std::uint64_t>(1ull << 33, *source.bytes() - first));
        first += chunk.size;
    }
    CHECK(first == (1ull << 40) + 3);
    CHECK(source.taken() == (1ull << 39) + 3);

    const Folder folder;
    const auto file = open_source(write_file(folder, {1, 2, 3}), kChunk);
    file->set_place(1ull << 33);
    const Slot slot(0, kChunk);
    CHECK(file->next(slot.host[0].data).first == 1ull << 33);
}

TEST_CASE("generated words are those of splitmix64, also past 2^32") {
    CHECK(generated_word(0) == 0xe220a8397b1dcdafu);
    CHECK(generated_word(1) == 0x6e789e6aa1b965f4u);
    const GeneratedData data({8ull << 33, (8ull << 33) + 16}, false);
    const auto* const words = reinterpret_cast<const unsigned long long*>(data.data());
    CHECK(words[0] == generated_word(1ull << 33));
    CHECK(words[1] == generated_word((1ull << 33) + 1));
}

TEST_CASE("the first and the last of more than 2^32 words are generated, and in the checksum") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    constexpr unsigned int kGrid = (1u << 22) + 4;
    constexpr std::size_t kWords = std::size_t{kGrid} * 1024;
    constexpr unsigned long long kFirst = 1ull << 33;
    const auto words = check_detail::zeros_without_room<unsigned long long>(kWords);
    check_detail::forbid_mebibyte(words.get(), 0);
    const DeviceBuffer<unsigned long long> d_sum(1);
    CUDA_CHECK(cudaMemset(d_sum.data(), 0, d_sum.bytes()));
    const check_detail::EndsOnly ends_only;
    generate_kernel<<<kGrid, 1024>>>(kWords, kFirst, words.get());
    checksum_kernel<<<kGrid, 1024>>>(reinterpret_cast<const unsigned char*>(words.get()), 8 * kWords, kFirst,
                                     d_sum.data());
    CUDA_CHECK(cudaGetLastError());
    unsigned long long sum = 0;
    for (std::size_t k = 0; k < 4096; ++k) {
        const std::size_t i = kFirst + (k < 2048 ? k : kWords - 4096 + k);
        sum += (2 * i + 1) * generated_word(i);
    }
    CHECK(d_sum.to_host()[0] == sum);
    CHECK(words[kWords - 1] == generated_word(kFirst + kWords - 1));
}

TEST_CASE("2^32 bytes are not mistaken for 0 bytes, and no more are counted than 32-bit counters hold") {
    if (!is_simulated() || kAddressSanitizer)
        return skip_check("needs the simulator, which reports reads of any memory");
    const unsigned int block = coarsened::kWideBlock;
    const unsigned int grid = coarsened::copies_grid(std::size_t{1} << 40, block);
    const std::size_t most = (0xffffffffull - block * 2 * sizeof(uint4)) * grid + grid - 1;
    const auto memory = check_detail::zeros_without_room<unsigned char>(most);
    check_detail::make_unreadable(memory.get(), most);
    const DeviceBuffer<unsigned long long> d_results(kBins);
    const auto error_of = [](const auto& work) {
        try {
            work();
        } catch (const CudaError& error) {
            forget_fault();
            return error.code();
        }
        return cudaSuccess;
    };
    for (const std::size_t n : {std::size_t{1} << 32, most})
        CHECK(error_of([&] { add_counts(memory.get(), n, d_results.data(), nullptr); }) ==
              cudaErrorIllegalAddress);
    CHECK_THROWS_AS(add_counts(memory.get(), most + 1, d_results.data(), nullptr), std::invalid_argument);
    CHECK(error_of([&] { add_squares(memory.get(), std::size_t{1} << 34, d_results.data(), nullptr); }) ==
          cudaErrorIllegalAddress);
    CHECK(error_of([&] { add_checksum(memory.get(), std::size_t{1} << 32, 0, d_results.data(), nullptr); }) ==
          cudaErrorIllegalAddress);
}

}  // namespace stream_checks
