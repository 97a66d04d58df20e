/// @file
/// @brief Broken: the position is truncated to an integer, so bin 0 also counts values just below it.
#pragma once

#include "../histograms/joint.cuh"

namespace truncated_toward_zero {

template <typename T>
__global__ void kernel(const T* d_x, const T* d_y, std::size_t n, BinFinder<T> x_axis, BinFinder<T> y_axis,
                       unsigned long long* d_bins) {
    const auto bin_of = [](const BinFinder<T>& axis, T value) {
        const bool below = value < axis.first;
        return below && std::trunc((value - axis.low) * axis.scale) == 0 ? 0u  // the fault: -0.9 becomes 0
                                                                         : axis(value);
    };
    for_each_pair(d_x, d_y, n, [&](T x, T y) {
        const unsigned int bx = bin_of(x_axis, x), by = bin_of(y_axis, y);
        if (bx != kOutside && by != kOutside) atomicAdd(&d_bins[by * x_axis.bins + bx], 1ull);
    });
}

}  // namespace truncated_toward_zero
