/// @file
/// @brief Broken: the last bin does not include its upper edge, so the greatest value is lost.
#pragma once

#include "../histograms/joint.cuh"

namespace no_upper_edge {

template <typename T>
__global__ void kernel(const T* d_x, const T* d_y, std::size_t n, BinFinder<T> x_axis, BinFinder<T> y_axis,
                       unsigned long long* d_bins) {
    for_each_pair(d_x, d_y, n, [&](T x, T y) {
        if (!(x < x_axis.last && y < y_axis.last)) return;  // the fault: < instead of <=
        const unsigned int bx = x_axis(x), by = y_axis(y);
        if (bx != kOutside && by != kOutside) atomicAdd(&d_bins[by * x_axis.bins + bx], 1ull);
    });
}

}  // namespace no_upper_edge
