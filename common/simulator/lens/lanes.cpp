/// @file
/// @brief Which lanes of a diverged warp go first.
#include "lanes.hpp"

#include <algorithm>

#include "site.hpp"

namespace lens {

bool Order::is_before(std::uint32_t a, std::uint32_t b) {
    const std::size_t size = std::max(a, b) + 1;
    if (known_.size() < size) known_.resize(size);
    if (known_[a].size() < size) known_[a].resize(size, -1);
    signed char& known = known_[a][b];
    if (known < 0) known = lens::is_before(a, b) ? 1 : 0;
    return known != 0;
}

Order::Place Order::place(std::uint32_t last, std::uint32_t next) {
    const bool goes_back = last != 0 && (last == next || is_before(next, last));
    return {goes_back ? last : next, next, goes_back};
}

bool Order::is_before(const Place& a, const Place& b) {
    if (a.at != b.at) return is_before(a.at, b.at);
    return a.goes_back == b.goes_back ? is_before(a.next, b.next) : b.goes_back;
}

}  // namespace lens
