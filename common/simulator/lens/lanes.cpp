/// @file
/// @brief Which lanes of a diverged warp go first.
#include "lanes.hpp"

#include <algorithm>

#include "site.hpp"

namespace lens {

bool Loops::before(std::uint32_t a, std::uint32_t b) {
    const std::size_t size = std::max(a, b) + 1;
    if (order_.size() < size) order_.resize(size);
    if (order_[a].size() < size) order_[a].resize(size, -1);
    signed char& known = order_[a][b];
    if (known < 0) known = is_before(a, b) ? 1 : 0;
    return known != 0;
}

bool Loops::goes_back(std::uint32_t last, std::uint32_t next) {
    return last != 0 && (last == next || before(next, last));
}

void Loops::learn(const std::array<std::vector<Access>, kLanes>& lanes) {
    for (const std::vector<Access>& lane : lanes)
        for (std::size_t i = 1; i < lane.size(); ++i) learn(lane[i - 1].site, lane[i].site);
}

void Loops::learn(std::uint32_t from, std::uint32_t to) {
    if (!goes_back(from, to)) return;
    if (last_of_.size() <= to) last_of_.resize(to + 1, 0);
    std::uint32_t& last = last_of_[to];
    if (last == 0 || before(last, from)) last = from;
}

bool Loops::goes_first(std::uint32_t last_a, std::uint32_t a, std::uint32_t last_b, std::uint32_t b) {
    const bool back_a = goes_back(last_a, a), back_b = goes_back(last_b, b);
    if (!back_a && !back_b) return before(a, b);
    if (back_a && back_b) return before(b, a);  // inner loops before outer ones
    // One of them goes forward: it is first if it is still before the end of the other one's loop.
    const std::uint32_t forward = back_a ? b : a, end = last_of_[back_a ? a : b];
    const bool forward_first = forward == end || before(forward, end);
    return back_a ? !forward_first : forward_first;
}

}  // namespace lens
