/// @file
/// @brief The counts of each site, barrier and launch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "hardware.hpp"
#include "site.hpp"

namespace lens {

/// Of one site, in all launches of one kernel with one shape.
struct SiteCounts {
    Site at{};
    std::uint64_t requests = 0, lanes = 0;
    std::uint64_t sectors = 0, bytes = 0;  ///< of global memory: moved, and asked for
    std::uint64_t wavefronts = 0;          ///< of shared memory
    unsigned int bytes_per_lane = 0;
    unsigned int most_lanes_on_address = 0;  ///< of atomics
    Request worst{};                         ///< the request with most sectors or wavefronts
    unsigned int worst_cost = 0, worst_bank = 0, worst_words = 0;
    // Whether it is one load with the site before, as the components of a vector are.
    std::uint32_t joins = 0;  ///< the site that it always follows, at the next address; 0 if it does not
    bool never_joins = false;
    std::uint64_t joined_sectors = 0, joined_wavefronts = 0;  ///< of groups that end here, as one access each

    void add(const SiteCounts& other);
};

/// Of one line with a barrier: how often it was reached, and what warps had done since the last barrier.
struct BarrierCounts {
    std::uint64_t count = 0, requests = 0, most_requests = 0;
};

/// Of all launches of one kernel with one shape.
struct LaunchCounts {
    std::uint64_t launches = 0, blocks = 0;
    std::vector<SiteCounts> sites;                  ///< by number
    std::map<std::string, BarrierCounts> barriers;  ///< by FILE:LINE
    std::uint64_t touched = 0;                      ///< different sectors, of each launch
    std::uint64_t shuffles = 0;                     ///< warp functions
    std::unordered_map<std::uintptr_t, std::uint64_t>
        atomics;  ///< by address of global memory: how many lanes
    /// By line of 128 bytes of global memory: how many sectors atomics and stores have asked it for.
    std::unordered_map<std::uintptr_t, std::uint64_t> lines;
    void add(const LaunchCounts& other);
};

/// @brief Adds up requests of one worker's warps.
class Counting {
 public:
    /// Counts a request. @param[in] site Its number.
    void add(std::uint32_t number, const Request& request);
    /// The next request is of other lanes, or after a point where lanes meet.
    void end_group() { group_ = {}; }
    LaunchCounts& counts() { return counts_; }

 private:
    LaunchCounts counts_;
    struct Group {
        std::uint32_t last = 0;
        Request request{};  ///< the accesses joined so far
    } group_{};
    unsigned int count_addresses(const Request& request, Kind kind);
    void try_to_join(SiteCounts& sums, std::uint32_t number, const Request& request);
};

/// Takes out what is part of a wider access by the site before.
void join_sites(LaunchCounts& counts);

}  // namespace lens
