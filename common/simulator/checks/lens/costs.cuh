/// @file
/// @brief Checks of the cost of requests, against the same counts computed in a simpler, slower way.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../lens/counts.hpp"

namespace cost_checks {

using lens::kLanes;
using lens::Request;

/// Requests of all kinds, with the given sizes in bytes: dense and scattered, aligned or not, with some lanes
/// left out.
std::vector<Request> requests(const std::vector<unsigned int>& sizes, bool aligned) {
    std::mt19937 random(1);
    std::vector<Request> result;
    for (int i = 0; i < 2000; ++i) {
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        Request request;
        request.bytes = sizes[below(static_cast<std::uint32_t>(sizes.size()))];
        request.lanes = below(4) == 0 ? ~0u : random();
        const std::uint32_t range = 32u << below(10), step = aligned ? request.bytes : 1;
        const std::uintptr_t base = 4096 + below(64) * std::uintptr_t{step};
        const bool in_order = below(2) == 0;
        for (unsigned int lane = 0; lane < kLanes; ++lane)
            request.address[lane] = base + (in_order ? lane * (range / 32) : below(range)) * step;
        result.push_back(request);
    }
    return result;
}

/// Calls `use` with each lane that takes part.
template <typename Use>
void each_lane(const Request& request, const Use& use) {
    for (unsigned int lane = 0; lane < kLanes; ++lane)
        if ((request.lanes >> lane & 1) != 0) use(lane);
}

TEST_CASE("a request's sectors are the pieces of 32 bytes in which its bytes are") {
    for (const Request& request : requests({1, 2, 4, 8, 12, 16, 33, 95, 96}, false)) {
        std::set<std::uintptr_t> bytes, pieces;
        each_lane(request, [&](unsigned int lane) {
            for (unsigned int i = 0; i < request.bytes; ++i) {
                bytes.insert(request.address[lane] + i);
                pieces.insert((request.address[lane] + i) / 32);
            }
        });
        const lens::Sectors counted = lens::sectors(request);
        if (counted.count != pieces.size() || counted.bytes != bytes.size())
            FAIL("a request of " << request.bytes);
    }
}

TEST_CASE("a structure of more than 96 bytes is loaded in pieces") {
    Request request{1, 200, {16}};
    CHECK(lens::sectors(request).count == 4 + 4 + 1);  // bytes 16 to 111, 112 to 207, and 208 to 215
    CHECK(lens::sectors(request).bytes == 200);
    request.bytes = 97;
    CHECK(lens::sectors(request).count == 4 + 1);
    CHECK(lens::sectors(request).bytes == 97);
}

/// The sectors of an atomic operation, and how often each is requested.
std::map<std::uintptr_t, unsigned int> atomic_sectors(const Request& request) {
    std::map<std::uintptr_t, unsigned int> counted;
    lens::atomic_sectors(request, [&](std::uintptr_t sector) { ++counted[sector]; });
    return counted;
}

TEST_CASE("the k-th lanes that name each address of an atomic request their sectors together") {
    for (const Request& request : requests({4, 8}, true)) {
        std::map<std::uintptr_t, std::size_t> named;
        std::vector<std::set<std::uintptr_t>> rounds(kLanes);
        each_lane(request, [&](unsigned int lane) {
            rounds[named[request.address[lane]]++].insert(request.address[lane] / 32);
        });
        std::map<std::uintptr_t, unsigned int> expected;
        for (const auto& round : rounds)
            for (const std::uintptr_t sector : round) ++expected[sector];
        REQUIRE(atomic_sectors(request) == expected);
    }
}

TEST_CASE("Nsight Compute counts as many sectors of atomics") {  // measured on an H100 and an H200
    const auto sectors = [](unsigned int bytes, auto index) {
        Request request{~0u, bytes, {}};
        each_lane(request, [&](unsigned int lane) { request.address[lane] = index(lane) * bytes; });
        unsigned int sum = 0;
        for (const auto& [sector, count] : atomic_sectors(request)) sum += count;
        return sum;
    };
    CHECK(sectors(4, [](unsigned int lane) { return lane / 2; }) == 4);
    CHECK(sectors(8, [](unsigned int lane) { return lane / 2; }) == 8);
    CHECK(sectors(4, [](unsigned int lane) { return lane / 4; }) == 4);
    CHECK(sectors(8, [](unsigned int lane) { return lane / 4; }) == 8);
    CHECK(sectors(4, [](unsigned int lane) { return lane / 4 * 4; }) == 16);
    CHECK(sectors(4, [](unsigned int) { return 0u; }) == 32);
}

TEST_CASE(
    "the number of wavefronts is that of different words in the busiest bank, for each part of the warp") {
    for (const Request& request : requests({1, 2, 4, 8, 12, 16}, true)) {
        const unsigned int words = request.bytes < 4 ? 1 : request.bytes / 4;
        const unsigned int parts = words >= 4 ? 4 : words >= 2 ? 2 : 1;
        std::vector<std::map<std::uintptr_t, std::set<std::uintptr_t>>> banks(parts);
        each_lane(request, [&](unsigned int lane) {
            for (unsigned int k = 0; k < words; ++k) {
                const std::uintptr_t word = request.address[lane] / 4 + k;
                banks[lane * parts / kLanes][word % 32].insert(word);
            }
        });
        std::size_t expected = 0, fullest = 0;
        for (const auto& part : banks) {
            std::size_t most = 0;
            for (const auto& [bank, different] : part) most = std::max(most, different.size());
            expected += most;
            fullest = std::max(fullest, most);
        }
        const lens::Wavefronts counted = lens::wavefronts(request);
        REQUIRE(counted.count == expected);
        REQUIRE(counted.words == fullest);
        if (fullest == 0) continue;
        bool is_fullest = false;
        for (auto& part : banks) is_fullest = is_fullest || part[counted.bank].size() == fullest;
        REQUIRE(is_fullest);
    }
}

TEST_CASE("among the lanes that take part, those on one address are counted") {
    for (const Request& request : requests({4}, true)) {
        std::map<std::uintptr_t, unsigned int> on;
        unsigned int most = 0;
        each_lane(request, [&](unsigned int lane) { most = std::max(most, ++on[request.address[lane]]); });
        REQUIRE(lens::most_lanes_on_one_address(request) == most);
    }
}

/// Counts that all differ. @param[in] first The smallest of these numbers.
lens::LaunchCounts numbered(std::uint64_t first) {
    std::uint64_t next = first;
    lens::LaunchCounts counts;
    counts.resize(2);
    for (lens::SiteCounts* const site : {&counts.sites[0], &counts.sites[1], &counts.outside[0]}) {
        site->blocks = next++, site->counted = next++;
        for (const auto sum : lens::SiteCounts::kSums) site->*sum = next++;
        site->bytes_per_lane = 4;
        site->most_lanes_on_address = static_cast<unsigned int>(next++);
        site->worst.cost = static_cast<unsigned int>(next++);
        site->joins = 1;
        site->lines[128] = next++;
    }
    counts.barriers["a.cu:1"] = {next, next + 1, next + 2, first == 1};
    counts.blocks = next + 3, counts.meetings = next + 4, counts.sample = next + 5;
    counts.atomics[4] = next + 6, counts.lines[0] = next + 7;
    counts.swaps = next + 8, counts.busiest_thread = next + 9;
    counts.to_other_warps = next + 10, counts.exchanges = next + 11, counts.busiest_block = next + 12;
    return counts;
}

TEST_CASE("the counts of all workers add up") {
    const lens::LaunchCounts a = numbered(1), b = numbered(1000);
    lens::LaunchCounts sum;
    sum.add(a);
    sum.add(b);
    for (const auto sites : {&lens::LaunchCounts::sites, &lens::LaunchCounts::outside})
        for (std::size_t i = 0; i < 2; ++i) {
            const lens::SiteCounts &one = (a.*sites)[i], &other = (b.*sites)[i], &both = (sum.*sites)[i];
            if (one.requests == 0) continue;
            CHECK(both.blocks == one.blocks + other.blocks);
            CHECK(both.counted == one.counted + other.counted);
            for (const auto count : lens::SiteCounts::kSums) CHECK(both.*count == one.*count + other.*count);
            CHECK(both.bytes_per_lane == 4);
            CHECK(both.most_lanes_on_address == other.most_lanes_on_address);
            CHECK(both.worst.cost == other.worst.cost);
            CHECK(both.joins == 1);
            CHECK(!both.never_joins);
            CHECK(both.lines.at(128) == one.lines.at(128) + other.lines.at(128));
        }
    const lens::BarrierCounts &one = a.barriers.at("a.cu:1"), &other = b.barriers.at("a.cu:1"),
                              &both = sum.barriers.at("a.cu:1");
    CHECK(both.count == one.count + other.count);
    CHECK(both.requests == one.requests + other.requests);
    CHECK(both.most_requests == one.most_requests + other.most_requests);
    CHECK(both.was_partial);
    CHECK(sum.blocks == a.blocks + b.blocks);
    CHECK(sum.meetings == a.meetings + b.meetings);
    CHECK(sum.exchanges == a.exchanges + b.exchanges);
    CHECK(sum.busiest_block == b.busiest_block);
    CHECK(sum.swaps == a.swaps + b.swaps);
    CHECK(sum.busiest_thread == b.busiest_thread);
    CHECK(sum.to_other_warps == a.to_other_warps + b.to_other_warps);
    CHECK(sum.sample == b.sample);
    CHECK(sum.atomics.at(4) == a.atomics.at(4) + b.atomics.at(4));
    CHECK(sum.lines.at(0) == a.lines.at(0) + b.lines.at(0));
    for (lens::LaunchCounts never : {a, b}) {
        never.sites[0].never_joins = true;
        never.add(a);
        CHECK(never.sites[0].never_joins);
    }
}

/// The counts of a launch with two accesses per round. @param[in] follows For each round, whether the second
/// access is at the next address.
lens::LaunchCounts pair(const std::vector<bool>& follows) {
    static const std::uint32_t first =
                                   lens::number_of({1, 0, lens::Space::global, lens::Kind::load, 4, false}),
                               second =
                                   lens::number_of({2, 0, lens::Space::global, lens::Kind::load, 4, false});
    lens::Counting counting;
    counting.begin_block(true);
    for (const bool next : follows) {
        counting.begin_group(0);
        Request request{~0u, 4, {}};
        for (std::uintptr_t lane = 0; lane < kLanes; ++lane) request.address[lane] = 4096 + lane * 8;
        for (const std::uint32_t site : {first, second}) {
            counting.reach(site);
            counting.add(site, request);
            for (std::uintptr_t& address : request.address) address += next ? 4 : 8;
        }
    }
    return counting.counts();
}

TEST_CASE(
    "two accesses count as one if the second always follows the first, in all blocks and for all workers") {
    const auto requests = [](lens::LaunchCounts counts) {
        join_sites(counts);
        std::uint64_t sum = 0;
        for (const lens::SiteCounts& site : counts.sites) sum += site.requests;
        return sum;
    };
    CHECK(requests(pair({true})) == 1);
    CHECK(requests(pair({true, true})) == 2);
    CHECK(requests(pair({false})) == 2);
    for (const std::vector<bool>& mixed :
         {std::vector{true, false}, {false, true}, {true, true, false, true}})
        CHECK(requests(pair(mixed)) == 2 * mixed.size());
    lens::LaunchCounts both = pair({true, true});
    both.add(pair({true}));
    CHECK(requests(both) == 3);
    both.add(pair({false}));
    CHECK(requests(both) == 8);
    both.add(pair({true}));
    CHECK(requests(both) == 10);
}

/// A warp's request at addresses from `begin` on, `stride` bytes apart.
struct Asked {
    std::uintptr_t begin;
    unsigned int warp = 0;
    bool has_synchronized = false, is_next_block = false;
    std::uintptr_t stride = 4;
    unsigned int bytes = 4;
    std::uint32_t lanes = ~0u;
};

/// The requests, and their cost, that remain if a compiler removes all that it may, in 1/32 of a request.
std::pair<std::uint64_t, std::uint64_t> least(lens::Space space, lens::Kind kind,
                                              const std::vector<Asked>& requests) {
    static std::uintptr_t address = 5000;
    const std::uint32_t site = lens::number_of({++address, 0, space, kind, 4, false});
    lens::Counting counting;
    counting.begin_block(true);
    for (const auto& [begin, warp, has_synchronized, is_next_block, stride, bytes, lanes] : requests) {
        if (has_synchronized) counting.synchronize();
        if (is_next_block) counting.begin_block(true);
        counting.begin_group(warp);
        Request request{lanes, bytes, {}};
        for (std::uintptr_t lane = 0; lane < kLanes; ++lane) request.address[lane] = begin + lane * stride;
        counting.reach(site);
        counting.add(site, request);
    }
    return {counting.counts().sites[site].least, counting.counts().sites[site].least_cost};
}

TEST_CASE("what a thread loads or stores again may stay in a register if nobody else can change it") {
    using enum lens::Space;
    using enum lens::Kind;
    using Least = std::pair<std::uint64_t, std::uint64_t>;
    const Least one{32, 4 * 32}, both{2 * 32, 2 * 4 * 32};
    CHECK(least(global, load, {{4096}, {4096}, {4096}}) == one);
    CHECK(least(shared, load, {{4096}, {8192}, {4096}}) == Least{2 * 32, 2 * 32});
    CHECK(least(global, store, {{4096}, {4096}}) == one);
    CHECK(least(global, atomic, {{4096}, {4096}}) == both);
    CHECK(least(global, load, {{4096}, {4100}}) == Least{2 * 32, 9 * 32});
    CHECK(least(global, load, {{4096}, {.begin = 4096, .warp = 1}}) == both);
    CHECK(least(global, load, {{4096}, {.begin = 4096, .is_next_block = true}}) == both);
    CHECK(least(shared, load, {{4096}, {.begin = 4096, .has_synchronized = true}}) == Least{2 * 32, 2 * 32});
    CHECK(least(global, store, {{4096}, {.begin = 4096, .has_synchronized = true}}) == both);
    // The memory may be read-only:
    CHECK(least(global, load, {{4096}, {.begin = 4096, .has_synchronized = true}}) == one);
    std::vector<Asked> many;  // more than a thread's registers can hold
    for (int round = 0; round < 2; ++round)
        for (std::uintptr_t i = 0; i < 1 << 14; ++i) many.push_back({i * 4096});
    CHECK(least(global, load, many).first > many.size() * 32 * 99 / 100);
}

TEST_CASE(
    "an instruction may access neighbours of what a request names, if its addresses are multiples of its "
    "width") {
    using enum lens::Space;
    using enum lens::Kind;
    // The parts that remain of one request whose lanes are `stride` bytes apart.
    const auto parts = [](lens::Space space, lens::Kind kind, std::uintptr_t stride, unsigned int bytes = 4,
                          std::uint32_t lanes = ~0u) {
        return least(space, kind, {{.begin = 4096 + 4, .stride = stride, .bytes = bytes, .lanes = lanes}})
            .first;
    };
    for (const lens::Kind kind : {load, store}) {
        CHECK(parts(global, kind, 4) == 32);
        CHECK(parts(global, kind, 8) == 32 / 2);
        CHECK(parts(global, kind, 16) == 32 / 4);
        CHECK(parts(global, kind, 32) == 32 / 8);
        CHECK(parts(global, kind, 4096) == 32 / 8);
        CHECK(parts(shared, kind, 8) == 32 / 2);
        CHECK(parts(shared, kind, 32) == 32 / 4);
        CHECK(parts(shared, kind, 0) == 32 / 4);
    }
    CHECK(parts(global, load, 1, 1) == 32);
    CHECK(parts(global, load, 4, 1) == 32 / 4);
    CHECK(parts(global, load, 32, 1) == 32 / 32);
    CHECK(parts(global, load, 16, 16) == 32);
    CHECK(parts(global, load, 128, 96) == 32);
    CHECK(parts(global, atomic, 32) == 32);
    CHECK(parts(global, load, 8, 4, 1u << 31 | 1u << 27) == 32 / 8);  // these lanes are 32 bytes apart
    CHECK(least(global, load, {{.begin = 4096, .stride = 16}}).second == 16 * 32 / 4);
    CHECK(least(shared, load, {{.begin = 4096, .stride = 16}}).second == 4 * 32 / 4);
}

/// A request of a warp at one of several sites.
struct Made {
    std::uint32_t lanes;
    enum Where { first_load, second_load, store, atomic } site;
    unsigned int bytes = 4;
    std::uintptr_t begin = 0;  ///< 0: at new addresses
};

/// How many of the requests remain if a compiler removes all that it may.
std::uint64_t remaining(const std::vector<Made>& all) {
    static std::uintptr_t address = 7000;
    constexpr lens::Kind kKinds[] = {lens::Kind::load, lens::Kind::load, lens::Kind::store,
                                     lens::Kind::atomic};
    lens::Counting counting;
    counting.begin_block(true);
    counting.begin_group(0);
    std::vector<std::uint32_t> sites;
    for (const lens::Kind kind : kKinds) {
        sites.push_back(lens::number_of({++address, 0, lens::Space::global, kind, 4, false}));
        counting.reach(sites.back());
    }
    std::uintptr_t other = 1 << 20;
    for (const auto& [lanes, site, bytes, begin] : all) {
        Request request{lanes, bytes, {}};
        if (begin == 0) other += 4096;
        for (std::uintptr_t lane = 0; lane < kLanes; ++lane)
            request.address[lane] = (begin == 0 ? other : begin) + lane * bytes;
        counting.add(sites[site], request);
    }
    std::uint64_t sum = 0;
    for (const std::uint32_t site : sites) sum += counting.counts().sites[site].least;
    return sum / lens::SiteCounts::kParts;
}

TEST_CASE("what a thread has loaded or stored elsewhere in the code may be in a register, too") {
    using enum Made::Where;
    CHECK(remaining({{~0u, first_load, 4, 4096}, {~0u, second_load, 4, 4096}}) == 1);
    CHECK(remaining({{~0u, store, 4, 4096}, {~0u, first_load, 4, 4096}}) == 1);
    CHECK(remaining({{~0u, first_load, 4, 4096}, {~0u, store, 4, 4096}}) == 2);
    CHECK(remaining({{~0u, store, 4, 4096}, {~0u, first_load, 4, 4096}, {~0u, store, 4, 4096}}) == 1);
    CHECK(remaining({{~0u, store, 4, 4096}, {~0u, first_load, 4, 8192}}) == 2);
    CHECK(remaining({{~0u, atomic, 4, 4096}, {~0u, first_load, 4, 4096}}) == 2);
}

TEST_CASE("what lanes in different branches request may be one instruction") {
    using enum Made::Where;
    constexpr std::uint32_t half = 0xffff, other = ~half, few = 0xf0000;
    CHECK(remaining({{half, first_load}, {other, second_load}}) == 1);
    CHECK(remaining({{other, first_load}, {half, second_load}}) == 1);
    CHECK(remaining({{half, first_load}, {half, second_load}}) == 2);
    CHECK(remaining({{half, first_load}, {other, first_load}}) == 2);
    CHECK(remaining({{half, first_load}, {other, store}}) == 2);
    CHECK(remaining({{half, atomic}, {other, atomic}}) == 2);
    CHECK(remaining({{half, first_load}, {other, second_load, 8}}) == 2);
    CHECK(remaining({{half, first_load},
                     {half, second_load},
                     {other, second_load},
                     {other, first_load},
                     {other, first_load}}) == 3);
    CHECK(remaining({{half, first_load}, {few, second_load}, {other & ~few, second_load}}) == 1);
    CHECK(remaining({{half, first_load}, {few, second_load}, {other, second_load}}) == 2);
    CHECK(remaining({{half, first_load}, {other, second_load}, {half, first_load}, {other, second_load}}) ==
          2);
    CHECK(remaining({{~0u, first_load}, {half, second_load}, {half, store}}) == 3);
}

/// The joined counts of two rounds of accesses with the widths `bytes`, each at a site of its own. The lanes
/// are 32 bytes apart.
/// @param[in] apart How far lane 0's second access is from the address at which it would join.
std::vector<lens::SiteCounts> joined(lens::Space space, const std::vector<unsigned int>& bytes,
                                     std::uint32_t lanes = ~0u, std::uintptr_t apart = 0) {
    static std::uintptr_t address = 1000;
    std::vector<std::uint32_t> sites;
    for (const unsigned int width : bytes)
        sites.push_back(lens::number_of(
            {++address, 0, space, lens::Kind::load, static_cast<std::uint8_t>(width), false}));
    lens::Counting counting;
    counting.begin_block(true);
    for (int round = 0; round < 2; ++round) {
        counting.begin_group(0);
        std::uintptr_t offset = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            Request request{lanes, bytes[i], {}};
            for (std::uintptr_t lane = 0; lane < kLanes; ++lane)
                request.address[lane] = 4096 + lane * 32 + offset + (lane == 0 && i == 1 ? apart : 0);
            counting.reach(sites[i]);
            counting.add(sites[i], request);
            offset += bytes[i];
        }
    }
    lens::LaunchCounts counts = counting.counts();
    const auto least = [&] {
        std::pair<std::uint64_t, std::uint64_t> sum;
        for (const std::uint32_t site : sites)
            sum.first += counts.sites[site].least, sum.second += counts.sites[site].least_cost;
        return sum;
    };
    const auto before = least();
    join_sites(counts);
    CHECK(least() == before);
    std::vector<lens::SiteCounts> result;
    for (const std::uint32_t site : sites)
        if (counts.sites[site].requests != 0) result.push_back(counts.sites[site]);
    return result;
}

TEST_CASE(
    "accesses that count as one have the bytes of all and the cost of one, and are at most 16 bytes wide") {
    for (const lens::Space space : {lens::Space::global, lens::Space::shared}) {
        const bool is_global = space == lens::Space::global;
        const std::vector<lens::SiteCounts> four = joined(space, {4, 4, 4, 4, 4, 4, 4, 4});
        REQUIRE(four.size() == 2);
        for (const lens::SiteCounts& each : four) {
            CHECK(each.requests == 2);
            CHECK(each.bytes_per_lane == 16);
            CHECK(each.worst.request.bytes == 16);
            CHECK(each.bytes == (is_global ? 2 * 32 * 16 : 0));
            CHECK(each.sectors == (is_global ? 2 * 32 : 0));
            // A quarter of the warp at a time, with two lanes in each bank.
            CHECK(each.wavefronts == (is_global ? 0 : 2 * 4 * 2));
        }
        CHECK(joined(space, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}).size() == 1);
        CHECK(joined(space, {4, 4}, ~0u, 4).size() == 2);
        for (const std::uint32_t lanes : {1u, 1u << 31}) CHECK(joined(space, {4, 4}, lanes).size() == 1);
        CHECK(joined(space, {4, 4}, 1, 4).size() == 2);
    }
}

TEST_CASE("outside of the sample, a line is counted in the first block that reaches it") {
    const std::uint32_t site = lens::number_of({3, 0, lens::Space::global, lens::Kind::load, 4, false});
    lens::Counting counting;
    for (const auto& [in_sample, is_counted] :
         {std::pair{false, true}, {false, false}, {true, true}, {false, false}}) {
        counting.begin_block(in_sample);
        for (int times = 0; times < 2; ++times) CHECK(counting.reach(site) == is_counted);
    }
    CHECK(counting.counts().sites[site].blocks == 4);
    CHECK(counting.counts().sites[site].counted == 1);
    CHECK(counting.counts().outside[site].counted == 1);
}

TEST_CASE("a sample's counts are scaled to the blocks that reach each line") {
    lens::LaunchCounts counts = numbered(100);
    counts.lines.clear();
    const lens::LaunchCounts before = counts;
    counts.sites[0].blocks = 3 * counts.sites[0].counted;
    counts.sites[1].counted = 0;
    counts.outside[1] = before.sites[1];
    counts.sites[1].blocks = before.sites[1].counted;
    scale(counts);
    for (const auto sum : lens::SiteCounts::kSums) {
        CHECK(counts.sites[0].*sum == 3 * (before.sites[0].*sum));
        CHECK(counts.sites[1].*sum == before.sites[1].*sum);
    }
    CHECK(counts.lines.at(128) == 3 * before.sites[0].lines.at(128) + before.sites[1].lines.at(128));
}

}  // namespace cost_checks
