/// @file
/// @brief How requests add up, and which accesses count as one.
#include "counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace lens {

void SiteCounts::add(const SiteCounts& other) {
    blocks += other.blocks;
    if (other.requests == 0) return;
    const bool is_first = requests == 0;
    at = other.at;
    counted += other.counted;
    for (const auto sum : kSums) this->*sum += other.*sum;
    bytes_per_lane = other.bytes_per_lane;
    most_lanes_on_address = std::max(most_lanes_on_address, other.most_lanes_on_address);
    if (other.worst.cost > worst.cost) worst = other.worst;
    never_joins = never_joins || other.never_joins || (!is_first && joins != other.joins);
    joins = other.joins;
    for (const auto& [line, asked] : other.lines) lines[line] += asked;
}

void LaunchCounts::add(const LaunchCounts& other) {
    resize(other.sites.size());
    for (std::size_t i = 0; i < other.sites.size(); ++i)
        sites[i].add(other.sites[i]), outside[i].add(other.outside[i]);
    for (const auto& [line, theirs] : other.barriers) {
        BarrierCounts& mine = barriers[line];
        mine.count += theirs.count;
        mine.requests += theirs.requests;
        mine.most_requests += theirs.most_requests;
        mine.was_partial |= theirs.was_partial;
    }
    shuffles += other.shuffles;
    swaps += other.swaps;
    busiest_thread = std::max(busiest_thread, other.busiest_thread);
    to_other_warps += other.to_other_warps;
    for (const auto& [address, lanes] : other.atomics) atomics[address] += lanes;
    for (const auto& [line, asked] : other.lines) lines[line] += asked;
    for (const auto& [at, executions] : other.code) {
        code[at].warps += executions.warps;
        code[at].lanes += executions.lanes;
    }
    sample = std::max(sample, other.sample);
    blocks += other.blocks;
}

bool Counting::reach(std::uint32_t number) {
    counts_.resize(number + 1);
    SiteCounts& reached = counts_.sites[number];
    if (reached.last_block == block_) return reached.counts_block;
    reached.last_block = block_;
    ++reached.blocks;
    reached.counts_block = in_sample_ || sites()[number].counted == 0;
    sites()[number].counted += reached.counts_block ? 1 : 0;
    return reached.counts_block;
}

void Counting::add(std::uint32_t number, const Request& request) {
    SiteCounts& sums = sites()[number];
    if (sums.requests++ == 0) sums.at = site(number);
    const Site& at = sums.at;
    sums.lanes += static_cast<unsigned int>(__builtin_popcount(request.lanes));
    sums.bytes_per_lane = request.bytes;
    unsigned int cost = 0;
    Wavefronts of_shared;
    if (at.space == Space::global) {
        const Sectors moved = sectors(request);
        unsigned int asked = 0;
        if (at.kind != Kind::load)
            atomic_sectors(request, [&](std::uintptr_t sector) {
                ++asked;
                count(sums.lines, sector / 4);
            });
        cost = at.kind == Kind::atomic ? asked : moved.count;
        sums.sectors += cost;
        sums.bytes += moved.bytes;
    } else {
        of_shared = wavefronts(request);
        sums.wavefronts += of_shared.count;
        cost = of_shared.count;
    }
    if (at.kind != Kind::atomic && has_been(sums, request)) ++sums.again, sums.again_cost += cost;
    if (cost > sums.worst.cost) sums.worst = {request, cost, of_shared.bank, of_shared.words};
    if (at.kind == Kind::atomic)
        sums.most_lanes_on_address = std::max(sums.most_lanes_on_address, most_lanes_on_one_address(request));
    try_to_join(sums, number, request);
}

/// @brief Whether the lanes have made the same request here shortly before, so that a compiler may have kept
///        the values in registers.
///
/// A thread has at most 255 registers. Of read-only data, it may keep values even if threads have
/// synchronized.
bool Counting::has_been(SiteCounts& sums, const Request& request) const {
    constexpr std::size_t kMost = 256;
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
    const bool may_change = sums.at.space == Space::shared || sums.at.kind == Kind::store;
    std::uint64_t name = (block_ * kFactor + group_.warp) * kFactor + (may_change ? synchronized_ : 0);
    name = name * kFactor + request.lanes;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1)
        name = name * kFactor + request.address[static_cast<unsigned int>(__builtin_ctz(lanes))];
    sums.recent.resize(kMost);
    return std::exchange(sums.recent[name * kFactor >> 56], name) == name;
}

/// Loads or stores of neighbouring components of a vector are one instruction of a GPU.
void Counting::try_to_join(SiteCounts& sums, std::uint32_t number, const Request& request) {
    constexpr unsigned int kWidest = 16;
    const Request& group = group_.request;
    const Site &at = sums.at, &before = sites()[group_.last].at;
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
    if (joins)
        group_.request.bytes += request.bytes;
    else
        group_.request = request;
    group_.last = number;
    if (!joins) return;
    if (at.space == Space::global)
        sums.joined_sectors += sectors(group_.request).count;
    else
        sums.joined_wavefronts += wavefronts(group_.request).count;
}

void scale(LaunchCounts& counts) {
    for (std::size_t i = 0; i < counts.sites.size(); ++i) {
        SiteCounts& sums = counts.sites[i];
        const std::uint64_t blocks = sums.blocks;
        if (sums.counted == 0) sums = counts.outside[i];
        sums.blocks = blocks;
        if (sums.counted == 0) continue;
        const double factor = static_cast<double>(blocks) / static_cast<double>(sums.counted);
        const auto estimate = [&](std::uint64_t& count) {
            count = static_cast<std::uint64_t>(std::llround(factor * static_cast<double>(count)));
        };
        for (const auto sum : SiteCounts::kSums) estimate(sums.*sum);
        for (auto& [line, asked] : sums.lines) estimate(asked), counts.lines[line] += asked;
    }
}

void join_sites(LaunchCounts& counts) {
    std::vector<SiteCounts>& sites = counts.sites;
    const std::vector<SiteCounts> before = sites;
    const auto is_joined = [&](std::size_t i) {
        return before[i].requests != 0 && before[i].joins != 0 && !before[i].never_joins &&
               before[before[i].joins].requests == before[i].requests;
    };
    std::vector<unsigned int> longest(sites.size(), 0);
    for (std::size_t i = 0; i < sites.size(); ++i) {
        if (!is_joined(i)) continue;
        std::size_t first = i;
        unsigned int length = 0;
        for (; is_joined(first) && length < 16; ++length) first = before[first].joins;
        sites[first].bytes += before[i].bytes;
        sites[first].bytes_per_lane += before[i].bytes_per_lane;
        sites[first].worst.request.bytes += before[i].bytes_per_lane;
        sites[first].again = std::min(sites[first].again, before[i].again);
        sites[i] = {};
        if (length < longest[first]) continue;
        longest[first] = length;
        sites[first].sectors = before[i].joined_sectors;
        sites[first].wavefronts = before[i].joined_wavefronts;
    }
}

}  // namespace lens
