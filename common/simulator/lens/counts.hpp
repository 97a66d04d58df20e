/// @file
/// @brief The counts of each site, barrier and launch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "code.hpp"
#include "hardware.hpp"
#include "site.hpp"

namespace lens {

/// How often each place (an address, or a line) was requested. Only the first 65,536 places are counted.
using PlaceCounts = std::unordered_map<std::uintptr_t, std::uint64_t>;
inline void count(PlaceCounts& counts, std::uintptr_t place) {
    if (counts.size() < 1 << 16 || counts.contains(place)) ++counts[place];
}
inline std::uint64_t most(const PlaceCounts& counts) {
    std::uint64_t result = 0;
    for (const auto& [place, count] : counts) result = std::max(result, count);
    return result;
}

/// The counts of one site, in all launches of one kernel with one shape.
struct SiteCounts {
    static constexpr std::uint64_t kParts = 32;
    Site at{};
    std::uint64_t blocks = 0, counted = 0;  ///< blocks that have reached the site; those counted there
    std::uint64_t last_block = 0;           ///< the last block of this worker to reach the site
    bool counts_block = false;              ///< whether that block's requests are counted
    std::uint64_t requests = 0, lanes = 0;
    std::uint64_t sectors = 0, bytes = 0;  ///< in global memory: sectors moved, bytes requested
    std::uint64_t wavefronts = 0;          ///< in shared memory
    // The requests, and their cost in sectors or wavefronts, that remain if a compiler removes and merges
    // all that it may. In units of 1 / kParts.
    std::uint64_t least = 0, least_cost = 0;
    unsigned int bytes_per_lane = 0;
    unsigned int most_lanes_on_address = 0;  ///< in one atomic request
    struct Worst {
        Request request{};  ///< the one with the most sectors or wavefronts
        unsigned int cost = 0, bank = 0, words = 0;
    } worst{};
    // Whether this site and an earlier one are parts of one access, like the components of a vector.
    std::uint32_t joins = 0;  ///< the site that this one always follows, at the next address; 0: none
    bool never_joins = false;
    std::uint64_t joined_sectors = 0,
                  joined_wavefronts = 0;  ///< the cost if the group that ends here is one access
    /// For each 128-byte line of global memory: how many sectors atomics and stores have requested.
    PlaceCounts lines;

    static constexpr std::uint64_t SiteCounts::*kSums[] = {
        &SiteCounts::requests,          &SiteCounts::lanes,
        &SiteCounts::sectors,           &SiteCounts::bytes,
        &SiteCounts::wavefronts,        &SiteCounts::joined_sectors,
        &SiteCounts::joined_wavefronts, &SiteCounts::least,
        &SiteCounts::least_cost};
    void add(const SiteCounts& other);
};

/// The counts of one barrier: how often blocks have passed it, and how many requests their warps have made
/// since the barrier before. `most_requests`: as if all warps had made as many as their block's busiest one.
struct BarrierCounts {
    std::uint64_t count = 0, requests = 0, most_requests = 0;
    bool was_partial = false;  ///< some threads of a block have returned without reaching it
};

/// The counts of all launches of one kernel with one shape.
struct LaunchCounts {
    std::uint64_t launches = 0, blocks = 0;
    std::uint64_t in_one_stream = 0;  ///< launches by the host, one by one, in the first launch's stream
    std::uint64_t sample = 1;         ///< one in this many blocks was counted
    std::vector<SiteCounts> sites;    ///< by the site's number: the blocks in the sample
    std::vector<SiteCounts> outside;  ///< the same of other blocks: a worker counts the first to reach a site
    std::map<std::string, BarrierCounts> barriers;  ///< by FILE:LINE
    std::uint64_t touched = 0;         ///< the number of different sectors in each launch, summed
    std::uint64_t meetings = 0;        ///< how often lanes of a warp have met at a warp function
    std::uint64_t exchanges = 0;       ///< those to pass values: shuffles and reductions
    std::uint64_t swaps = 0;           ///< calls of atomicCAS
    std::uint64_t busiest_thread = 0;  ///< the most accesses of a thread, each of up to 16 bytes
    std::uint64_t busiest_block = 0;   ///< the most bytes that a block has loaded from global memory
    std::uint64_t to_other_warps =
        0;                ///< atomics on a word of shared memory that another warp was the first to update
    CodeCounts code;      ///< executions of basic blocks, in all blocks
    PlaceCounts atomics;  ///< for each address of global memory: atomics of lanes, in all blocks
    PlaceCounts lines;    ///< the sum of `SiteCounts::lines`, computed by `scale`
    void resize(std::size_t size) {
        if (sites.size() < size) sites.resize(size), outside.resize(size);
    }
    void add(const LaunchCounts& other);
};

/// @brief Adds up the requests of one worker's warps.
class Counting {
 public:
    void begin_block(bool in_sample) { in_sample_ = in_sample, ++block_; }
    bool is_in_sample() const { return in_sample_; }
    /// The block reaches a site. @return Whether the block's requests there are counted.
    bool reach(std::uint32_t number);
    /// The next requests are those of a warp since its lanes last met.
    void begin_group(unsigned int warp) { group_ = {.warp = warp}, branches_.begin(); }
    /// Counts a request. @param[in] number The site's number.
    void add(std::uint32_t number, const Request& request);
    /// Threads have waited for each other, so memory may have changed since it was loaded.
    void synchronize() { ++synchronized_; }
    LaunchCounts& counts() { return counts_; }

 private:
    LaunchCounts counts_;
    bool in_sample_ = true;
    std::uint64_t block_ = 0;  ///< counts this worker's blocks
    std::uint64_t synchronized_ = 0;
    std::vector<std::uint64_t> recent_;  ///< the latest requests (has_been)
    std::vector<SiteCounts>& sites() { return in_sample_ ? counts_.sites : counts_.outside; }
    struct Group {
        unsigned int warp = 0;
        std::uint32_t last = 0;
        Request request{};  ///< the accesses joined so far
    } group_{};
    /// The latest requests of a warp whose lanes have diverged (is_in_another_branch).
    struct Branches {
        struct Made {
            std::uint32_t number = 0, lanes = 0;
            unsigned int bytes = 0;
            bool is_taken = false;  ///< matched by a request of the current branch
        };
        std::vector<Made> made{};
        std::uint32_t lanes = 0, all = 0;  ///< the lanes of the last request, and of all requests
        void begin() { made.clear(), lanes = all = 0; }
    } branches_{};
    bool is_in_another_branch(const SiteCounts& sums, std::uint32_t number, const Request& request);
    bool has_been(const Site& at, const Request& request);
    void try_to_join(SiteCounts& sums, std::uint32_t number, const Request& request);
};

/// Scales each site's counts from the blocks that were counted to all blocks that have reached the site. If
/// no block of the sample has reached a site, the counts are those of the other blocks.
void scale(LaunchCounts& counts);

/// Merges sites that are parts of a wider access into the site where that access begins.
void join_sites(LaunchCounts& counts);

}  // namespace lens
