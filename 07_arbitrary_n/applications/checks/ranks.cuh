/// @file
/// @brief Checks of what each of several ranks counts, and on which GPUs.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../../common/bench/options.hpp"
#include "../ranks/ranks.cuh"
#include "sources.cuh"

namespace stream_checks {

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
    const GpuId a{'a'}, b{'b'};
    const auto place = [&](const GpuId& own, int rank) {
        const Part sharing = sharing_of(own, {a, b, a, a}, rank);
        return std::pair(sharing.number, sharing.count);
    };
    CHECK(place(a, 0) == std::pair(0, 3));
    CHECK(place(b, 1) == std::pair(0, 1));
    CHECK(place(a, 3) == std::pair(2, 3));

    const Devices devices(4);
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

TEST_CASE("several ranks without MPI are rejected") {
    CHECK(thrown_by([] {
              const Ranks ranks({0, 4, true}, {});
          }) ==
          "4 ranks were started, but this program was built without MPI, so each rank would count "
          "everything: install libopenmpi-dev and build it again, or start it without mpirun");
}

}  // namespace stream_checks
