/// @file
/// @brief The bin of a value on the device: found by arithmetic, and exact in spite of rounding errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../../../common/cuda/device_buffer.cuh"
#include "axis.hpp"

/// The least `T` that is not less than `value`.
template <typename T>
T rounded_up(double value) {
    const T near = static_cast<T>(value);
    return near < value ? std::nextafter(near, std::numeric_limits<T>::infinity()) : near;
}

/// @brief The edges, as a `BinFinder` looks them up.
///
/// Each edge is rounded up to a `T`. No `T` is between an edge and its rounded value, so a value compares the
/// same with both. The last edge is infinite, so that a value on the upper edge is in the last bin.
template <typename T>
std::vector<T> edge_table(const Axis& axis) {
    std::vector<T> table;
    for (const double edge : edges_of(axis)) table.push_back(rounded_up<T>(edge));
    table.back() = std::numeric_limits<T>::infinity();
    return table;
}

/// @brief Finds the bin of a value of type `T`, float or double.
///
/// The position of a value on the axis is computed, with a rounding error below a known tolerance. A value
/// nearer than that to an edge is compared with the edge itself.
template <typename T>
struct BinFinder {
    T low, scale;    ///< `(x - low) * scale` is the position of x, in bins
    T sure;          ///< half a bin minus the tolerance: a value nearer than this to a bin's middle is in it
    T first, last;   ///< the least and the greatest value inside
    const T* edges;  ///< an `edge_table`
    unsigned int bins;

    /// @return The bin, or `kOutside`.
    __host__ __device__ unsigned int operator()(T value) const {
        // Numbers as large as kRound have no fraction, so adding kRound rounds `place` to the nearest whole
        // number, which is then in the lowest bits of the sum.
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        constexpr T kRound = sizeof(T) == 4 ? 0x1.8p23 : 0x1.8p52;
        constexpr Bits kRoundBits = sizeof(T) == 4 ? Bits{0x4B400000} : static_cast<Bits>(0x4338000000000000);
        const T place = (value - low) * scale - T{0.5};  // in the middle of a bin: the bin's number
        const T rounded = place + kRound;
        Bits bin;
        std::memcpy(&bin, &rounded, sizeof(bin));
        bin -= kRoundBits;
        if (std::fabs(place - (rounded - kRound)) < sure && bin < bins) return static_cast<unsigned int>(bin);
        return near_edge_or_outside(value);
    }

    /// Finds the bin of the few values that arithmetic alone can't place.
    __host__ __device__ unsigned int near_edge_or_outside(T value) const {
        if (!(value >= first && value <= last)) return kOutside;  // NaN is neither
        const auto edge = static_cast<unsigned int>(std::rint((value - low) * scale));
        return value < edges[edge] ? edge - 1 : edge;
    }
};

/// @brief Makes a finder for the bins of values of type `T`.
/// @param[in] edges The axis's `edge_table`, in the memory (host or device) from which the finder is called.
/// @throws std::invalid_argument for an invalid axis, or one whose bins a `T` can't tell apart.
template <typename T>
BinFinder<T> bin_finder(const Axis& axis, const T* edges) {
    constexpr T kMost = std::numeric_limits<T>::max();
    const double range = axis.high - axis.low, scale = axis.bins / range;
    const std::string what =
        std::to_string(axis.bins) + " bins from " + shortest(axis.low) + " to " + shortest(axis.high);
    if (axis.bins == 0 || !(range > 0) || !std::isfinite(range))
        throw std::invalid_argument(what +
                                    ": an axis needs at least one bin, and a finite range from low to high");
    // The rounding errors of a position in bins, as multiples of T's unit roundoff u. At most `bins` each:
    // the difference, the product, `scale`, the half, and 3 for the edges' steps. At most bins * reach /
    // range each: `low` and the edges. Together less than 8 u * bins * (1 + reach / range); 8 u is 4 epsilon.
    const double reach = std::max(std::fabs(axis.low), std::fabs(axis.high));
    const double tolerance = 4.0 * std::numeric_limits<T>::epsilon() * axis.bins * (1 + reach / range);
    const bool fits =
        range <= kMost / 2 && reach <= kMost && scale >= std::numeric_limits<T>::min() && scale <= kMost;
    if (!fits || tolerance >= 0.25)
        throw std::invalid_argument(what + " are finer than " + (sizeof(T) == 4 ? "float" : "double") +
                                    " values can distinguish: use fewer bins or another range");
    BinFinder<T> finder{};
    finder.first = rounded_up<T>(axis.low);
    finder.last = -rounded_up<T>(-axis.high);
    finder.low = static_cast<T>(axis.low);
    finder.scale = static_cast<T>(scale);
    finder.sure = static_cast<T>(0.5 - tolerance);
    finder.edges = edges;
    finder.bins = axis.bins;
    return finder;
}

/// An axis with its edges in both memories, to find bins on the device and on the CPU.
template <typename T>
class DeviceAxis {
 public:
    /// @throws std::invalid_argument as `bin_finder` does.
    explicit DeviceAxis(const Axis& axis)
        : host_(bin_finder<T>(axis, nullptr)), edges_(edge_table<T>(axis)), d_edges_(edges_.size()) {
        CUDA_CHECK(cudaMemcpy(d_edges_.data(), edges_.data(), d_edges_.bytes(), cudaMemcpyHostToDevice));
        host_.edges = edges_.data();
        device_ = host_;
        device_.edges = d_edges_.data();
    }
    DeviceAxis(const DeviceAxis&) = delete;
    DeviceAxis& operator=(const DeviceAxis&) = delete;

    const BinFinder<T>& on_host() const { return host_; }      ///< for the CPU to call
    const BinFinder<T>& on_device() const { return device_; }  ///< for kernels to call
    unsigned int bins() const { return host_.bins; }           ///< 1 or more

 private:
    BinFinder<T> host_, device_;
    std::vector<T> edges_;
    DeviceBuffer<T> d_edges_;
};
