/// @file
/// @brief How requests add up, and which accesses are one.
#include "counts.hpp"

#include <algorithm>
#include <bit>

namespace lens {

void SiteCounts::add(const SiteCounts& other) {
    if (other.requests == 0) return;
    const bool is_first = requests == 0;
    at = other.at;
    requests += other.requests;
    lanes += other.lanes;
    sectors += other.sectors;
    bytes += other.bytes;
    wavefronts += other.wavefronts;
    bytes_per_lane = other.bytes_per_lane;
    most_lanes_on_address = std::max(most_lanes_on_address, other.most_lanes_on_address);
    if (other.worst_cost > worst_cost) {
        worst = other.worst;
        worst_cost = other.worst_cost;
        worst_bank = other.worst_bank;
        worst_words = other.worst_words;
    }
    never_joins = never_joins || other.never_joins || (!is_first && joins != other.joins);
    joins = other.joins;
    joined_sectors += other.joined_sectors;
    joined_wavefronts += other.joined_wavefronts;
}

void LaunchCounts::add(const LaunchCounts& other) {
    if (sites.size() < other.sites.size()) sites.resize(other.sites.size());
    for (std::size_t i = 0; i < other.sites.size(); ++i) sites[i].add(other.sites[i]);
    for (const auto& [line, theirs] : other.barriers) {
        BarrierCounts& mine = barriers[line];
        mine.count += theirs.count;
        mine.requests += theirs.requests;
        mine.most_requests += theirs.most_requests;
    }
    shuffles += other.shuffles;
    blocks += other.blocks;
    for (const auto& [address, lanes] : other.atomics) atomics[address] += lanes;
    for (const auto& [line, asked] : other.lines) lines[line] += asked;
}

void Counting::add(std::uint32_t number, const Request& request) {
    if (counts_.sites.size() <= number) counts_.sites.resize(number + 1);
    SiteCounts& sums = counts_.sites[number];
    if (sums.requests++ == 0) sums.at = site(number);
    const Site& at = sums.at;
    sums.lanes += static_cast<unsigned int>(__builtin_popcount(request.lanes));
    sums.bytes_per_lane = request.bytes;
    unsigned int cost = 0;
    Wavefronts of_shared;
    if (at.space == Space::global) {
        const Sectors moved = sectors(request);
        const unsigned int asked = at.kind == Kind::load ? 0 : count_addresses(request, at.kind);
        cost = at.kind == Kind::atomic ? asked : moved.count;
        sums.sectors += cost;
        sums.bytes += moved.bytes;
    } else {
        of_shared = wavefronts(request);
        sums.wavefronts += of_shared.count;
        cost = of_shared.count;
    }
    if (cost > sums.worst_cost) {
        sums.worst = request;
        sums.worst_cost = cost;
        sums.worst_bank = of_shared.bank;
        sums.worst_words = of_shared.words;
    }
    if (at.kind == Kind::atomic)
        sums.most_lanes_on_address = std::max(sums.most_lanes_on_address, most_lanes_on_one_address(request));
    try_to_join(sums, number, request);
}

/// Where global atomics or stores meet. Of very many addresses, only the first count. @return The sectors.
unsigned int Counting::count_addresses(const Request& request, Kind kind) {
    const auto count = [](std::unordered_map<std::uintptr_t, std::uint64_t>& counts, std::uintptr_t place) {
        if (counts.size() < 1 << 16 || counts.count(place) != 0) ++counts[place];
    };
    for (std::uint32_t left = kind == Kind::atomic ? request.lanes : 0; left != 0; left &= left - 1)
        count(counts_.atomics, request.address[static_cast<unsigned int>(__builtin_ctz(left))]);
    unsigned int sectors = 0;
    atomic_sectors(request, [&](std::uintptr_t sector) {
        ++sectors;
        count(counts_.lines, sector / 4);
    });
    return sectors;
}

/// Loads or stores of neighbouring components of a vector are one instruction of a GPU.
void Counting::try_to_join(SiteCounts& sums, std::uint32_t number, const Request& request) {
    constexpr unsigned int kWidest = 16;
    const Request& group = group_.request;
    const Site &at = sums.at, &before = counts_.sites[group_.last].at;
    bool joins = group_.last != 0 && at.kind != Kind::atomic && at.kind == before.kind &&
                 at.space == before.space && group.lanes == request.lanes && number != group_.last &&
                 group.bytes + request.bytes <= kWidest;
    const unsigned int aligned = std::bit_ceil(group.bytes + request.bytes);
    for (unsigned int lane = 0; lane < kLanes && joins; ++lane)
        joins =
            (request.lanes >> lane & 1) == 0 || (request.address[lane] == group.address[lane] + group.bytes &&
                                                 group.address[lane] % aligned == 0);
    if (sums.requests > 1 && sums.joins != (joins ? group_.last : 0)) sums.never_joins = true;
    sums.joins = joins ? group_.last : 0;
    if (joins) {
        group_.request.bytes += request.bytes;
    } else {
        group_.request = request;
    }
    group_.last = number;
    if (!joins || sums.never_joins) return;
    if (at.space == Space::global)
        sums.joined_sectors += sectors(group_.request).count;
    else
        sums.joined_wavefronts += wavefronts(group_.request).count;
}

void join_sites(LaunchCounts& counts) {
    std::vector<SiteCounts>& sites = counts.sites;
    const auto is_joined = [&](std::size_t i) {
        return sites[i].requests != 0 && sites[i].joins != 0 && !sites[i].never_joins &&
               sites[sites[i].joins].requests == sites[i].requests;
    };
    const std::vector<SiteCounts> before = sites;
    std::vector<bool> joined(sites.size());
    for (std::size_t i = 0; i < sites.size(); ++i) joined[i] = is_joined(i);
    std::vector<unsigned int> longest(sites.size(), 0);
    for (std::size_t i = 0; i < sites.size(); ++i) {
        if (!joined[i]) continue;
        std::size_t first = i;
        unsigned int length = 0;
        for (; joined[first] && length < 16; ++length) first = before[first].joins;
        sites[first].bytes += before[i].bytes;
        sites[first].bytes_per_lane += before[i].bytes_per_lane;
        sites[first].worst.bytes += before[i].bytes_per_lane;
        sites[i] = {};
        if (length < longest[first]) continue;
        longest[first] = length;
        sites[first].sectors = before[i].joined_sectors;
        sites[first].wavefronts = before[i].joined_wavefronts;
    }
}

}  // namespace lens
