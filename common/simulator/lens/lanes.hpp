/// @file
/// @brief Combines the accesses of lanes that have run one after another into the requests of a warp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hardware.hpp"

namespace lens {

/// One access of one lane. If `bytes` is 0, the entry stands for something else: the ends of `address`
/// iterations, one after another, of a loop without an access.
struct Access {
    std::uintptr_t address;
    std::uint32_t site, bytes;
};

/// Decides which of a warp's lanes go first.
class Order {
 public:
    /// Where a lane is in the code. A lane that is about to jump back to the start of a loop is still at the
    /// end of the loop.
    struct Place {
        std::uint32_t at, next;  ///< where the lane is, and the site that it executes next; 0: none
        bool goes_back;
        bool operator==(const Place&) const = default;
    };
    /// @param[in] last The site that the lane has executed last, or 0. @param[in] next The next site, or 0.
    Place place(std::uint32_t last, std::uint32_t next);
    bool is_before(const Place& a, const Place& b);

 private:
    bool is_before(std::uint32_t a, std::uint32_t b);
    std::vector<std::vector<signed char>> known_;  ///< whether one site is before another; -1: not asked yet
};

/// @brief Chooses which lanes of a warp go next: those at the earliest place in the code, because they have
/// advanced least.
/// @param[in]     next Gives the site that a lane has reached, or 0 if the lane takes no part.
/// @param[in,out] last The site that each lane has executed last, or 0. If the chosen lanes jump back to the
///                     start of a loop, the entries of other lanes that are about to jump back from the
///                     same place become 0.
/// @return The lanes, all of which have reached the same site; 0 if no lane takes part.
template <typename Next>
std::uint32_t next_lanes(const Next& next, std::array<std::uint32_t, kLanes>& last, Order& order) {
    std::uint32_t lanes = 0, site = 0, before = 0;
    bool differ = false;
    for (unsigned int lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t its = next(lane);
        if (its == 0) continue;
        differ |= lanes != 0 && (its != site || last[lane] != before);
        lanes |= 1u << lane;
        site = its, before = last[lane];
    }
    if (!differ) return lanes;
    Order::Place first{};
    std::array<Order::Place, kLanes> places{};
    for (unsigned int lane = 0; lane < kLanes; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        places[lane] = order.place(last[lane], next(lane));
        if (first.next == 0 || order.is_before(places[lane], first)) first = places[lane];
    }
    for (unsigned int lane = 0; lane < kLanes; ++lane) {
        if (places[lane] == first) continue;
        lanes &= ~(1u << lane);
        if (first.goes_back && places[lane].goes_back && places[lane].at == first.at) last[lane] = 0;
    }
    return lanes;
}

/// @brief Combines the accesses of lanes into requests ("From threads to warps" in README.md).
/// @param[in]     lanes The accesses of each lane, in order.
/// @param[in,out] order The order of the kernel's sites, which this function looks up.
/// @param[in,out] use   Called with the site of each request and the request, in the order of execution.
template <typename Use>
void execute_together(const std::array<std::vector<Access>, kLanes>& lanes, Order& order, Use&& use) {
    std::array<std::size_t, kLanes> done{};
    std::array<std::uintptr_t, kLanes> ended{};  ///< how many iterations of its current entry have ended
    std::array<std::uint32_t, kLanes> last{};
    const auto next = [&](unsigned int lane) {
        return done[lane] == lanes[lane].size() ? 0 : lanes[lane][done[lane]].site;
    };
    for (;;) {
        Request request{next_lanes(next, last, order), 0, {}};
        if (request.lanes == 0) return;
        std::uint32_t chosen = 0;
        std::uintptr_t fewest = UINTPTR_MAX;  // iterations that all these lanes end
        for (unsigned int lane = 0; lane < kLanes; ++lane) {
            if ((request.lanes >> lane & 1) == 0) continue;
            const Access& access = lanes[lane][done[lane]];
            request.address[lane] = access.address;
            request.bytes = access.bytes;
            last[lane] = chosen = access.site;
            if (access.bytes == 0)
                fewest = std::min(fewest, access.address - ended[lane]);
            else
                ++done[lane];
        }
        if (request.bytes != 0) {
            use(chosen, request);
            continue;
        }
        for (unsigned int lane = 0; lane < kLanes; ++lane) {
            if ((request.lanes >> lane & 1) == 0) continue;
            ended[lane] += fewest;
            if (ended[lane] == request.address[lane]) ended[lane] = 0, ++done[lane];
        }
    }
}

}  // namespace lens
