/// @file
/// @brief How requests add up, and which accesses count as one.
#include "counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace lens {

namespace {

/// @brief How many requests may be parts of one instruction: this one and those of its neighbours.
///
/// An instruction's addresses are multiples of its width, which is at most 32 bytes in global memory and
/// 16 bytes in shared memory.
unsigned int most_joined(Space space, const Request& request) {
    const std::uintptr_t first = request.address[static_cast<unsigned int>(__builtin_ctz(request.lanes))];
    std::uintptr_t different =
        space == Space::shared ? 16 : 32;  // bits of the addresses; the first limits the width
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1)
        different |= first ^ request.address[static_cast<unsigned int>(__builtin_ctz(lanes))];
    const unsigned int width = 1u << __builtin_ctzll(different);
    return std::max(1u, width / request.bytes);
}

}  // namespace

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
    meetings += other.meetings;
    exchanges += other.exchanges;
    swaps += other.swaps;
    busiest_thread = std::max(busiest_thread, other.busiest_thread);
    busiest_block = std::max(busiest_block, other.busiest_block);
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
    const bool is_atomic = at.kind == Kind::atomic;
    if (is_atomic || (!has_been(at, request) && !is_in_another_branch(sums, number, request))) {
        const unsigned int joined = is_atomic ? 1 : most_joined(at.space, request);
        sums.least += SiteCounts::kParts / joined;
        sums.least_cost += SiteCounts::kParts * cost / joined;
    }
    if (cost > sums.worst.cost) sums.worst = {request, cost, of_shared.bank, of_shared.words};
    if (is_atomic)
        sums.most_lanes_on_address = std::max(sums.most_lanes_on_address, most_lanes_on_one_address(request));
    try_to_join(sums, number, request);
}

/// @brief Whether a compiler may leave out a request because the lanes have made the same one shortly before:
/// a load, if registers may still have the values, or the earlier of two stores.
///
/// A thread has at most 255 registers. Loaded global memory may be read-only, so registers may keep its
/// values even when threads synchronize.
bool Counting::has_been(const Site& at, const Request& request) {
    // A hash table of the latest requests. It has many more entries than a thread has registers, because
    // requests with the same hash replace each other.
    constexpr unsigned int kBits = 12;
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
    recent_.resize(1 << kBits);
    std::uint64_t name = (block_ * kFactor + group_.warp) * kFactor + request.lanes;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1)
        name = name * kFactor + request.address[static_cast<unsigned int>(__builtin_ctz(lanes))];
    const auto take = [&](Kind kind) {
        const bool may_change = at.space == Space::shared || kind == Kind::store;
        const std::uint64_t own = ((name * kFactor + (may_change ? synchronized_ : 0)) * kFactor +
                                   static_cast<unsigned int>(kind)) *
                                  kFactor;
        return std::exchange(recent_[own >> (64 - kBits)], own) == own;
    };
    if (at.kind == Kind::store) take(Kind::load);
    return take(at.kind);
}

/// @brief Whether other lanes of the warp, in another branch, have made a request like this one.
///
/// A compiler may have moved both requests out of the branches and merged them.
bool Counting::is_in_another_branch(const SiteCounts& sums, std::uint32_t number, const Request& request) {
    constexpr std::size_t kMost = 64;  // searching more takes too long
    std::vector<Branches::Made>& made = branches_.made;
    if (request.lanes != branches_.lanes) {
        if ((request.lanes & branches_.all) != 0) branches_.begin();
        branches_.lanes = request.lanes;
        for (Branches::Made& other : made) other.is_taken = false;
    }
    branches_.all |= request.lanes;
    const auto is_like_this = [&](const Branches::Made& other) {
        const Site& at = sites()[other.number].at;
        return !other.is_taken && other.lanes != request.lanes && other.number != number &&
               other.bytes == request.bytes && at.space == sums.at.space && at.kind == sums.at.kind;
    };
    const auto other = branches_.all == request.lanes ? made.end() : std::ranges::find_if(made, is_like_this);
    const bool is_found = other != made.end();
    if (is_found) other->is_taken = true;
    if (made.size() < kMost) made.push_back({number, request.lanes, request.bytes, false});
    return is_found;
}

/// Finds requests that are one instruction on a GPU: loads or stores of neighbouring components of a vector.
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
        sites[first].least += before[i].least;
        sites[first].least_cost += before[i].least_cost;
        sites[i] = {};
        if (length < longest[first]) continue;
        longest[first] = length;
        sites[first].sectors = before[i].joined_sectors;
        sites[first].wavefronts = before[i].joined_wavefronts;
    }
}

}  // namespace lens
