/// @file
/// @brief Both histograms on the CPU: the baseline by the kernels' arithmetic, the reference by `EdgeSearch`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../../common/problem/cores.hpp"
#include "../axis/axis.hpp"

/// @return How many cores are useful for `n` elements if each core has `bins` private bins to add up.
inline std::size_t cores_for(std::size_t n, std::size_t bins) {
    return std::clamp<std::size_t>(n / bins, 1, core_count());
}

/// @brief Each core fills private bins, which are then added up.
/// @param[in] add `add(bins, i)` adds element i.
template <typename Sum, typename Add>
std::vector<Sum> bins_on_cores(std::size_t cores, std::size_t n, std::size_t bins, const Add& add) {
    auto slices = on_cores(cores, n, [&](std::size_t first, std::size_t count) {
        std::vector<Sum> own(bins);
        for (std::size_t i = first; i < first + count; ++i) add(own, i);
        return own;
    });
    for (std::size_t core = 1; core < cores; ++core)
        for (std::size_t b = 0; b < bins; ++b) slices[0][b] += slices[core][b];
    return slices[0];
}

/// @brief Counts pairs.
/// @tparam X What finds bins: a `BinFinder` or an `EdgeSearch`; the same holds for `Y`.
template <typename T, typename X, typename Y>
Results joint_on_cpu(std::size_t cores, const std::vector<T>& x, const std::vector<T>& y, const X& x_axis,
                     const Y& y_axis) {
    const auto add = [&](Results& bins, std::size_t i) {
        const unsigned int bx = x_axis(x[i]), by = y_axis(y[i]);
        if (bx != kOutside && by != kOutside) ++bins[std::size_t{by} * x_axis.bins + bx];
    };
    return bins_on_cores<unsigned long long>(cores, x.size(), std::size_t{x_axis.bins} * y_axis.bins, add);
}

/// @brief Adds up weights by the bins of their values.
/// @tparam Sum `double`, or `ReferenceSum`.
template <typename Sum, typename T, typename Weight, typename X>
std::vector<Sum> weighted_on_cpu(std::size_t cores, const std::vector<T>& values,
                                 const std::vector<Weight>& weights, const X& axis) {
    const auto add = [&](std::vector<Sum>& sums, std::size_t i) {
        const unsigned int bin = axis(values[i]);
        if (bin != kOutside) sums[bin] += weights[i];
    };
    return bins_on_cores<Sum>(cores, values.size(), axis.bins, add);
}
