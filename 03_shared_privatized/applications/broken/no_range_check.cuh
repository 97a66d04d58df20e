/// @file
/// @brief Broken: x is not checked, so a value past the end of a row is counted in the next row.
#pragma once

#include "../histograms/joint.cuh"

namespace no_range_check {

template <typename T>
__global__ void kernel(const T* d_x, const T* d_y, std::size_t n, BinFinder<T> x_axis, BinFinder<T> y_axis,
                       unsigned long long* d_bins) {
    const long long bins = static_cast<long long>(x_axis.bins) * y_axis.bins;
    for_each_pair(d_x, d_y, n, [&](T x, T y) {
        const unsigned int bx = x_axis(x), by = y_axis(y);
        if (by == kOutside || x != x) return;
        const long long column =
            bx != kOutside ? bx : static_cast<long long>((x - x_axis.low) * x_axis.scale);
        const long long bin = by * static_cast<long long>(x_axis.bins) + column;  // the fault: any column
        if (bin >= 0 && bin < bins) atomicAdd(&d_bins[bin], 1ull);
    });
}

}  // namespace no_range_check
