/// @file
/// @brief From what each lane has done, one after another, to what the lanes of a warp do at once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hardware.hpp"

namespace lens {

/// One access of one lane.
struct Access {
    std::uintptr_t address;
    std::uint32_t site, bytes;
};

/// Where the loops are: for each, its first access, and the last access before a jump back to it.
class Loops {
 public:
    void learn(const std::array<std::vector<Access>, kLanes>& lanes);
    /// A lane goes from one site to another.
    void learn(std::uint32_t from, std::uint32_t to);
    /// Whether a lane whose last and next sites are `a` goes before one with `b`; 0 is before the first site.
    bool goes_first(std::uint32_t last_a, std::uint32_t a, std::uint32_t last_b, std::uint32_t b);

 private:
    bool goes_back(std::uint32_t last, std::uint32_t next);
    bool before(std::uint32_t a, std::uint32_t b);
    std::vector<std::uint32_t> last_of_;           ///< by the loop's first site; 0 if there is no such loop
    std::vector<std::vector<signed char>> order_;  ///< of two sites, as far as they were compared
};

/// @brief Which access a warp executes next: the one that comes first in the code, because its lanes have
/// advanced least. A lane that is about to go back, to the start of a loop, comes after everything in the
/// loop.
/// @param[in] next     Gives the site that a lane has reached, or 0 if the lane takes no part.
/// @param[in] last     The site that each lane has executed last, or 0.
/// @param[in] diverged Called before lanes are compared that have reached different sites.
/// @return The site; 0 if no lane takes part.
template <typename Next, typename Diverged>
std::uint32_t next_site(const Next& next, const std::array<std::uint32_t, kLanes>& last, Loops& loops,
                        const Diverged& diverged) {
    std::uint32_t chosen = 0, chosen_last = 0;
    bool differ = false;
    for (unsigned int lane = 0; lane < kLanes && !differ; ++lane) {
        const std::uint32_t site = next(lane);
        if (site == 0) continue;
        differ = chosen != 0 && site != chosen;
        if (chosen == 0) chosen = site, chosen_last = last[lane];
    }
    if (!differ) return chosen;
    diverged();
    for (unsigned int lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t site = next(lane);
        if (site != 0 && site != chosen && loops.goes_first(last[lane], site, chosen_last, chosen))
            chosen = site, chosen_last = last[lane];
    }
    return chosen;
}

/// @brief Puts together requests ("From threads to warps" in README.md).
/// @param[in]     lanes The accesses of each lane, in order.
/// @param[in,out] loops The kernel's loops, as far as they are known.
/// @param[in,out] use   Called with the site of each request and the request, in the order of execution.
template <typename Use>
void execute_together(const std::array<std::vector<Access>, kLanes>& lanes, Loops& loops, Use&& use) {
    std::array<std::size_t, kLanes> done{};
    std::array<std::uint32_t, kLanes> last{};
    bool learned = false;
    const auto next = [&](unsigned int lane) {
        return done[lane] == lanes[lane].size() ? 0 : lanes[lane][done[lane]].site;
    };
    for (;;) {
        const std::uint32_t chosen = next_site(next, last, loops, [&] {
            if (!learned) loops.learn(lanes);
            learned = true;
        });
        if (chosen == 0) return;
        Request request;
        for (unsigned int lane = 0; lane < kLanes; ++lane) {
            if (next(lane) != chosen) continue;
            const Access& access = lanes[lane][done[lane]];
            request.lanes |= 1u << lane;
            request.address[lane] = access.address;
            request.bytes = access.bytes;
            last[lane] = chosen;
            ++done[lane];
        }
        use(chosen, request);
    }
}

}  // namespace lens
