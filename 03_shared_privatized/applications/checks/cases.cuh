/// @file
/// @brief Cases in which the histograms of pairs must be right.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "../../../common/checks/catch.hpp"
#include "../../../common/cuda/device_buffer.cuh"
#include "../../../common/cuda/launch_shape.hpp"
#include "../axis/axis.hpp"

namespace pair_checks {

using Random = std::mt19937_64;

/// A random number from 0 to 1, excluding 1.
double fraction(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// @return `n` values that are difficult for an axis: its edges and their neighbours, values near and far
///         outside, infinities and NaN, among values anywhere inside.
template <typename T>
std::vector<T> hard_values(const Axis& axis, std::size_t n, std::uint64_t seed) {
    using Limits = std::numeric_limits<T>;
    constexpr T kInfinity = Limits::infinity();
    constexpr T kZero = 0;
    const T strange[] = {
        kZero,         -kZero,          kInfinity, -kInfinity, Limits::quiet_NaN(), Limits::denorm_min(),
        Limits::max(), Limits::lowest()};
    const std::vector<double> edges = edges_of(axis);
    const double range = axis.high - axis.low;
    Random random(seed);
    std::vector<T> values(n);
    for (T& value : values) {
        const T edge = static_cast<T>(edges[random() % edges.size()]);
        switch (random() % 16) {
            case 0: value = edge; break;
            case 1: value = std::nextafter(edge, kInfinity); break;
            case 2: value = std::nextafter(edge, -kInfinity); break;
            case 3: value = static_cast<T>(axis.high); break;
            case 4: value = static_cast<T>(axis.low - 0.9 * range / axis.bins * fraction(random)); break;
            case 5: value = static_cast<T>(axis.low + range * (4 * fraction(random) - 1.5)); break;
            case 6: value = strange[random() % std::size(strange)]; break;
            default: value = static_cast<T>(axis.low + range * fraction(random));
        }
    }
    return values;
}

/// Device memory that ends with the values, which begin `offset` values past an aligned address.
template <typename T>
struct Shifted {
    Shifted(const std::vector<T>& values, std::size_t offset) : buffer(offset + values.size()) {
        data = buffer.data() + offset;
        if (!values.empty())
            CUDA_CHECK(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceBuffer<T> buffer;
    T* data;
};

const Axis kUnit{0, 1, 10}, kPrices{-3.3, 12.1, 77}, kSixtyFour{-1, 1, 64}, kBytes{0, 256, 256};

/// One case in which a histogram must be right. A weighted histogram has no y axis: its second column
/// contains the weights.
struct Case {
    std::size_t n;
    Axis x = kPrices, y = kUnit;
    std::size_t first_offset = 0, second_offset = 0;
    LaunchShape shape = {};
};

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const std::size_t n : {0, 1, 31, 33, 1023, 1025, 100003})
        cases.push_back({n, kSixtyFour, kSixtyFour});
    for (const Axis& axis : {kUnit, kPrices, kBytes, Axis{0, 1, 1}, Axis{1e-3, 1.7e-3, 7},
                             Axis{1e5, 1e5 + 2, 6}, Axis{-1e30, 1e30, 9}})
        cases.push_back({20011, axis});
    for (std::size_t first = 0; first < 4; ++first)
        for (std::size_t second = 0; second < 4; ++second)
            cases.push_back({4099, kUnit, kPrices, first, second});
    for (const unsigned int grid : {1, 2, 7})
        for (const unsigned int block : {1, 32, 33, 1000, 1024})
            cases.push_back({5003, kPrices, kUnit, 1, 2, {grid, block}});
    return cases;
}

std::string describe(const Axis& axis) {
    return std::to_string(axis.bins) + " bins from " + shortest(axis.low) + " to " + shortest(axis.high);
}

std::string describe(const Case& c) {
    std::ostringstream what;
    what << "n = " << c.n << ", x: " << describe(c.x) << ", y: " << describe(c.y) << ", offsets "
         << c.first_offset << " and " << c.second_offset << ", grid " << c.shape.grid << ", block "
         << c.shape.block << ": ";
    return what.str();
}

}  // namespace pair_checks
