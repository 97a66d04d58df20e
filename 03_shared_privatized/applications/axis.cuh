/// @file
/// @brief Bins along an axis, the same as numpy's, found by arithmetic and right to the last bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../../common/cuda/device_buffer.cuh"

/// @return The shortest of the decimals with 15, 16 or 17 digits that is read back as the same number.
inline std::string shortest(double value) {
    char text[32];
    for (int digits = 15; digits <= 17; ++digits) {
        std::snprintf(text, sizeof(text), "%.*g", digits, value);
        if (std::strtod(text, nullptr) == value) break;
    }
    return text;
}

/// @return A number with six digits, for people.
inline std::string rough(double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    return text;
}

/// Bins of one width, side by side.
struct Axis {
    double low, high;   ///< the edges of the whole; finite, low < high
    unsigned int bins;  ///< 1 or more
};

/// What becomes of a value that no bin holds. NaN is dropped in either case.
enum class Outside { drop, clamp };

/// What a report says of the values that no bin holds.
inline std::string outside_text(std::size_t outside, Outside mode) {
    if (outside == 0) return "none outside";
    return std::to_string(outside) + " outside, " +
           (mode == Outside::drop ? "dropped" : "moved to the nearest bin");
}

constexpr unsigned int kOutside = 0xffffffff;  ///< the bin of a value that is dropped

/// @brief Where the bins begin and end: bin b holds edge[b] <= x < edge[b + 1], and the last one `high` too.
/// @return `bins + 1` edges.
/// @par Source
/// numpy.linspace(low, high, bins + 1), with its rounding.
inline std::vector<double> edges_of(const Axis& axis) {
    const double step = (axis.high - axis.low) / axis.bins;
    std::vector<double> edges(std::size_t{axis.bins} + 1);
    for (std::size_t k = 0; k < axis.bins; ++k) edges[k] = static_cast<double>(k) * step + axis.low;
    edges.back() = axis.high;
    return edges;
}

/// The least `T` that is not less than `value`.
template <typename T>
T rounded_up(double value) {
    const T near = static_cast<T>(value);
    return near < value ? std::nextafter(near, std::numeric_limits<T>::infinity()) : near;
}

/// @brief The edges as a `BinFinder` looks them up.
///
/// No `T` lies between an edge and the next `T` above it, so values compare alike with both. The last edge is
/// out of reach: what is inside is never above the last bin.
template <typename T>
std::vector<T> edge_table(const Axis& axis) {
    std::vector<T> table;
    for (const double edge : edges_of(axis)) table.push_back(rounded_up<T>(edge));
    table.back() = std::numeric_limits<T>::infinity();
    return table;
}

/// @brief Finds the bin of a value of type `T`, float or double.
///
/// The place of a value on the axis is computed, with a rounding error of less than a tolerance. Where an
/// edge is as near as that, the value is compared with the edge itself.
template <typename T>
struct BinFinder {
    T low, scale;    ///< `(x - low) * scale` counts bins
    T sure;          ///< half a bin without the tolerance: how far from a bin's middle no edge is near
    T least, most;   ///< what is not dropped
    T first, last;   ///< the least and the greatest value inside; what is not dropped moves between them
    const T* edges;  ///< an `edge_table`
    unsigned int bins;

    /// @return The bin, or `kOutside`.
    __host__ __device__ unsigned int operator()(T value) const {
        // A number as large as kRound has no digits behind the point, so adding it rounds to the nearest
        // whole number; and the sum's lowest bits are that number.
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        constexpr T kRound = sizeof(T) == 4 ? 0x1.8p23 : 0x1.8p52;
        constexpr Bits kRoundBits = sizeof(T) == 4 ? Bits{0x4B400000} : static_cast<Bits>(0x4338000000000000);
        const T place = (value - low) * scale - T{0.5};  // of a bin's middle: the bin's number
        const T rounded = place + kRound;
        Bits bin;
        std::memcpy(&bin, &rounded, sizeof(bin));
        bin -= kRoundBits;
        if (std::fabs(place - (rounded - kRound)) < sure && bin < bins) return static_cast<unsigned int>(bin);
        return near_edge_or_outside(value);
    }

    /// The rest of it, for the few values that the arithmetic alone can't place.
    __host__ __device__ unsigned int near_edge_or_outside(T value) const {
        if (!(value >= least && value <= most)) return kOutside;  // NaN is neither
        value = value < first ? first : value > last ? last : value;
        const auto edge = static_cast<unsigned int>(std::rint((value - low) * scale));
        return value < edges[edge] ? edge - 1 : edge;
    }
};

/// @brief Prepares to find bins among values of type `T`.
/// @param[in] edges The axis' `edge_table`, in the memory of whoever calls the finder.
/// @throws std::invalid_argument for an axis that is none, or whose bins a `T` can't tell apart.
template <typename T>
BinFinder<T> bin_finder(const Axis& axis, Outside outside, const T* edges) {
    constexpr T kMost = std::numeric_limits<T>::max();
    const double range = axis.high - axis.low, scale = axis.bins / range;
    const std::string what =
        std::to_string(axis.bins) + " bins from " + shortest(axis.low) + " to " + shortest(axis.high);
    if (axis.bins == 0 || !(range > 0) || !std::isfinite(range))
        throw std::invalid_argument(what + ": an axis takes bins, and a finite range from low to high");
    // In bins, and in units of T's rounding error u: 1 for the difference, 1 for the product, 1 for `scale`,
    // 1 for the half, 3 for the edges' steps, each times at most `bins`; 1 for `low` and 1 for the edges,
    // times reach / range of it. Together less than 8 u, which is 4 epsilon.
    const double reach = std::max(std::fabs(axis.low), std::fabs(axis.high));
    const double tolerance = 4.0 * std::numeric_limits<T>::epsilon() * axis.bins * (1 + reach / range);
    const bool fits =
        range <= kMost / 2 && reach <= kMost && scale >= std::numeric_limits<T>::min() && scale <= kMost;
    if (!fits || tolerance >= 0.25)
        throw std::invalid_argument(what + " are finer than " + (sizeof(T) == 4 ? "float" : "double") +
                                    " values can tell: take fewer bins or another range");
    BinFinder<T> finder{};
    finder.first = rounded_up<T>(axis.low);
    finder.last = -rounded_up<T>(-axis.high);
    finder.most = outside == Outside::clamp ? std::numeric_limits<T>::infinity() : finder.last;
    finder.least = outside == Outside::clamp ? -finder.most : finder.first;
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
    DeviceAxis(const Axis& axis, Outside outside)
        : host_(bin_finder<T>(axis, outside, nullptr)), edges_(edge_table<T>(axis)), d_edges_(edges_.size()) {
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

/// @brief The bin to compare with: searched among the edges, and no finder's code.
/// @param[in]  edges       The axis' edges.
/// @param[out] was_outside Set to true if the value, NaN included, lies outside; else left as it is.
inline unsigned int reference_bin(const std::vector<double>& edges, Outside outside, double value,
                                  bool& was_outside) {
    const bool inside = value >= edges.front() && value <= edges.back();
    was_outside = was_outside || !inside;
    if (std::isnan(value) || (!inside && outside == Outside::drop)) return kOutside;
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
    return static_cast<unsigned int>(above - edges.begin()) - 1;
}
