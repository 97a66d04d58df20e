/// @file
/// @brief Broken: the place is cut to an integer, so what lies just below the first bin falls into it.
#pragma once

#include "../joint.cuh"

namespace truncated_toward_zero {

/// @param[in] x_axis Clamps, as does `y_axis`.
template <typename T>
__global__ void kernel(const T* d_x, const T* d_y, std::size_t n, BinFinder<T> x_axis, BinFinder<T> y_axis,
                       unsigned long long* d_bins) {
    const auto is_outside = [](const BinFinder<T>& axis, T value) {
        return static_cast<int>((value - axis.low) * axis.scale) < 0 ||  // the fault: -0.9 becomes 0
               value > axis.last;
    };
    for_each_pair(d_x, d_y, n, [&](T x, T y) {
        if (is_outside(x_axis, x) || is_outside(y_axis, y)) return;
        const unsigned int bx = x_axis(x), by = y_axis(y);
        if (bx != kOutside && by != kOutside) atomicAdd(&d_bins[by * x_axis.bins + bx], 1ull);
    });
}

}  // namespace truncated_toward_zero
