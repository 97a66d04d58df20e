/// @file
/// @brief Broken: counts four bytes at a time and forgets the last one to three.
#pragma once

#include "../../common/problem/histogram.hpp"

namespace dropped_tail {

inline void histogram(const unsigned char* data, std::size_t n, unsigned long long* bins, unsigned long long*,
                      LaunchShape) {
    std::fill(bins, bins + kBins, 0ull);
    for (std::size_t i = 0; i + 4 <= n; i += 4)  // the fault: the last n % 4 bytes are not counted
        for (std::size_t k = 0; k < 4; ++k) ++bins[data[i + k]];
}

}  // namespace dropped_tail
