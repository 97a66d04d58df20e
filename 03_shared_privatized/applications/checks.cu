/// @file
/// @brief Checks of chapter 03's applications: joint and weighted histograms.
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "../../common/checks/catch.hpp"
#include "../../common/problem/verify.hpp"
#include "broken/int_sums.cuh"
#include "broken/no_edge_lookup.cuh"
#include "broken/no_range_check.cuh"
#include "broken/no_upper_edge.cuh"
#include "broken/truncated_toward_zero.cuh"
#include "joint.cuh"
#include "joint_map.hpp"
#include "made_pairs.hpp"
#include "on_cpu.hpp"
#include "options.hpp"
#include "pairs.hpp"
#include "weighted.cuh"
#include "weighted_reference.hpp"

namespace {

using Random = std::mt19937_64;

/// A number from 0 to 1.
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

/// Device memory that ends with the values, and begins `offset` values past an aligned address.
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

// --- Joint histograms -----------------------------------------------------------------------------

/// Counts `n` pairs like `joint_histogram`, in a place that it chooses.
template <typename T>
using JointFunction =
    std::function<void(const T* d_x, const T* d_y, std::size_t n, const DeviceAxis<T>& x,
                       const DeviceAxis<T>& y, unsigned long long* d_bins, LaunchShape shape)>;

/// @return What was wrong, in words; nothing if all was right.
template <typename T>
std::optional<std::string> check_joint_case(const JointFunction<T>& run, const Case& c) {
    const std::vector<T> x = hard_values<T>(c.x, c.n, c.n), y = hard_values<T>(c.y, c.n, c.n + 1);
    Results expected = joint_on_cpu(1, x, y, EdgeSearch(c.x), EdgeSearch(c.y));
    expected.resize(expected.size() + 64, 0x5A5A5A5A5A5A5A5Aull);  // nothing is written past the bins
    const Shifted<T> d_x(x, c.first_offset), d_y(y, c.second_offset);
    const DeviceAxis<T> x_axis(c.x), y_axis(c.y);
    const DeviceBuffer<unsigned long long> d_bins(expected.size());
    CUDA_CHECK(cudaMemset(d_bins.data(), 0x5A, d_bins.bytes()));
    run(d_x.data, d_y.data, c.n, x_axis, y_axis, d_bins.data(), c.shape);
    const auto wrong = verify_one_by_one(d_bins.to_host(), expected);
    return wrong ? std::optional((sizeof(T) == 4 ? "float, " : "double, ") + describe(c) + *wrong)
                 : std::nullopt;
}

template <typename T>
std::optional<std::string> check_joint(const JointFunction<T>& run) {
    for (const Case& c : all_cases())
        if (const auto wrong = check_joint_case(run, c)) return wrong;
    return std::nullopt;
}

/// The chapter's histogram, counting in a given place.
template <typename T>
JointFunction<T> joint_in(Counting counting) {
    using namespace std::placeholders;
    return std::bind(joint_histogram<T>, counting, _1, _2, _3, _4, _5, _6, _7);
}

/// A broken kernel, launched as the chapter launches its own.
template <typename T>
JointFunction<T> broken_joint(void (*kernel)(const T*, const T*, std::size_t, BinFinder<T>, BinFinder<T>,
                                             unsigned long long*)) {
    return [kernel](const T* d_x, const T* d_y, std::size_t n, const DeviceAxis<T>& x, const DeviceAxis<T>& y,
                    unsigned long long* d_bins, LaunchShape) {
        CUDA_CHECK(cudaMemset(d_bins, 0, std::size_t{x.bins()} * y.bins() * sizeof(*d_bins)));
        kernel<<<3, 96>>>(d_x, d_y, n, x.on_device(), y.on_device(), d_bins);
        CUDA_CHECK(cudaGetLastError());
    };
}

}  // namespace

TEST_CASE("pairs are counted right wherever they are counted, for every n, alignment, axis and shape") {
    for (const Counting counting : {Counting::global, Counting::shared, Counting::copies}) {
        INFO(name_of(counting));
        CHECK(check_joint<float>(joint_in<float>(counting)).value_or("") == "");
        CHECK(check_joint<double>(joint_in<double>(counting)).value_or("") == "");
    }
}

TEST_CASE("bins are private while they fit into shared memory, and counted in global memory beyond") {
    const auto most = static_cast<unsigned int>(most_shared_bytes() / sizeof(unsigned int));
    const Case fits{5003, {0, 1, most}, {0, 1, 1}}, does_not{5003, {0, 1, most + 1}, {0, 1, 1}};
    CHECK(check_joint_case(joint_in<double>(Counting::shared), fits).value_or("") == "");
    CHECK(check_joint_case(joint_in<double>(Counting::copies), fits).value_or("") == "");
    CHECK(check_joint_case(joint_in<double>(Counting::global), does_not).value_or("") == "");
    for (const Counting counting : {Counting::shared, Counting::copies})
        CHECK_THROWS_AS(check_joint_case(joint_in<double>(counting), does_not), std::invalid_argument);
    CHECK_THROWS_AS(joint_bins(1u << 13, (1u << 13) + 1), std::invalid_argument);
    CHECK(joint_bins(1u << 13, 1u << 13) == kMostBins);
}

TEST_CASE("the copies of all blocks that an SM's threads allow fit into it") {
    const std::size_t room = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    const std::size_t reserved = device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    for (const std::size_t bytes : {4, 256, 4096, 16384}) {
        for (const unsigned int block : {256, 1024}) {
            const std::size_t copies = copies_that_fit(bytes, block);
            const std::size_t blocks = device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / block;
            const auto taken = [&](std::size_t count) { return blocks * (count * bytes + reserved); };
            INFO(bytes << " bytes, blocks of " << block << ": " << copies << " copies");
            CHECK((taken(copies) <= room || copies == 1));
            CHECK((taken(copies + 1) > room || copies == 32));
        }
    }
}

TEST_CASE("joint bins count past 2^32, and a grid whose blocks could is refused") {
    const std::size_t n = 100003;
    const std::vector<float> x = hard_values<float>(kUnit, n, 1), y = hard_values<float>(kPrices, n, 2);
    const DeviceAxis<float> x_axis(kUnit), y_axis(kPrices);
    const Shifted<float> d_x(x, 0), d_y(y, 0);
    constexpr unsigned long long kStart = 0xffffffffull;
    Results expected = joint_on_cpu(1, x, y, EdgeSearch(kUnit), EdgeSearch(kPrices));
    const Results start(expected.size(), kStart);
    for (unsigned long long& count : expected) count += kStart;
    const DeviceBuffer<unsigned long long> d_bins(expected.size());
    for (const bool shared : {false, true}) {
        CUDA_CHECK(cudaMemcpy(d_bins.data(), start.data(), d_bins.bytes(), cudaMemcpyHostToDevice));
        if (shared)
            joint_shared_kernel<<<3, 96, expected.size() * sizeof(unsigned int)>>>(
                d_x.data, d_y.data, n, x_axis.on_device(), y_axis.on_device(), 1, d_bins.data());
        else
            joint_global_kernel<<<3, 96>>>(d_x.data, d_y.data, n, x_axis.on_device(), y_axis.on_device(),
                                           d_bins.data());
        CUDA_CHECK(cudaGetLastError());
        CHECK(verify_one_by_one(d_bins.to_host(), expected).value_or("") == "");
    }
    CHECK_THROWS_AS(joint_histogram(Counting::copies, d_x.data, d_y.data, std::size_t{1} << 33, x_axis,
                                    y_axis, d_bins.data(), {1, 1024}),
                    std::invalid_argument);
}

TEST_CASE("more than 2^32 pairs are counted right") {
    const std::size_t n = (std::size_t{1} << 32) + 5;
    const Device device = init_cuda();
    if (device.simulated || device.free_bytes < 2 * n * sizeof(float) + (std::size_t{1} << 30))
        return skip_check("needs a GPU with 34 GiB of free memory");
    const DeviceBuffer<float> d_x(n), d_y(n);
    CUDA_CHECK(cudaMemset(d_x.data(), 0, d_x.bytes()));
    CUDA_CHECK(cudaMemset(d_y.data(), 0, d_y.bytes()));
    const float last = 0.95f;
    CUDA_CHECK(cudaMemcpy(d_x.data() + n - 1, &last, sizeof(last), cudaMemcpyHostToDevice));
    const DeviceAxis<float> axis(kUnit);
    Results expected(100, 0);
    expected[0] = n - 1;
    expected[9] = 1;
    const DeviceBuffer<unsigned long long> d_bins(expected.size());
    for (const Counting counting : {Counting::global, Counting::shared, Counting::copies}) {
        joint_histogram(counting, d_x.data(), d_y.data(), n, axis, axis, d_bins.data());
        CHECK(verify_one_by_one(d_bins.to_host(), expected).value_or("") == "");
    }
}

// --- Axes -----------------------------------------------------------------------------------------

namespace {

/// Compares a finder with a search among the edges, near every kind of edge.
template <typename T>
std::optional<std::string> check_finders(std::size_t axes) {
    Random random(7);
    std::size_t accepted = 0;
    for (std::size_t k = 0; accepted < axes && k < 20 * axes; ++k) {
        const double low = (fraction(random) - 0.5) * std::exp2(static_cast<double>(random() % 24) - 8);
        const double range = fraction(random) * std::exp2(static_cast<double>(random() % 24) - 12);
        const Axis axis{low, low + range, static_cast<unsigned int>(1 + random() % 1000)};
        std::vector<T> table;
        BinFinder<T> finder{};
        try {
            finder = bin_finder<T>(axis, nullptr);
            table = edge_table<T>(axis);
        } catch (const std::invalid_argument&) {
            continue;
        }
        ++accepted;
        finder.edges = table.data();
        const EdgeSearch search(axis);
        for (const T value : hard_values<T>(axis, 500, k)) {
            const unsigned int expected = search(value), got = finder(value);
            if (got != expected)
                return describe(axis) + ": " + shortest(value) + " is in bin " + std::to_string(expected) +
                       ", got " + std::to_string(got);
        }
    }
    if (accepted < axes) return "only " + std::to_string(accepted) + " axes were accepted";
    return std::nullopt;
}

}  // namespace

TEST_CASE("arithmetic finds the bin that a search among the edges finds, for floats and doubles") {
    CHECK(check_finders<float>(300).value_or("") == "");
    CHECK(check_finders<double>(300).value_or("") == "");
}

TEMPLATE_TEST_CASE("arithmetic alone finds the bin of a value that is not next to an edge", "", float,
                   double) {
    constexpr TestType kInfinity = std::numeric_limits<TestType>::infinity();
    for (const Axis& axis : {kUnit, kPrices, kSixtyFour, kBytes}) {
        // Edges that would place a value in the bin before or after its own.
        const std::vector<TestType> before(axis.bins + 1, kInfinity), after(axis.bins + 1, -kInfinity);
        BinFinder<TestType> finder = bin_finder<TestType>(axis, nullptr);
        const double width = (axis.high - axis.low) / axis.bins;
        for (unsigned int b = 0; b < axis.bins; ++b) {
            finder.edges = before.data();
            CHECK(finder(static_cast<TestType>(axis.low + (b + 0.01) * width)) == b);
            finder.edges = after.data();
            CHECK(finder(static_cast<TestType>(axis.low + (b + 0.99) * width)) == b);
        }
    }
}

TEST_CASE("the last bin holds its upper edge, an edge belongs to the bin above, and 0.3 is below 3 x 0.1") {
    const DeviceAxis<double> axis(kUnit);
    const BinFinder<double>& bin_of = axis.on_host();
    CHECK(bin_of(0) == 0);
    CHECK(bin_of(0.1) == 1);
    CHECK(bin_of(0.3) == 2);  // the edge is 0.30000000000000004, as it is numpy's
    CHECK(bin_of(0.5) == 5);
    CHECK(bin_of(1) == 9);
    CHECK(bin_of(std::nextafter(1.0, 2.0)) == kOutside);
    CHECK(bin_of(-1e-300) == kOutside);
    CHECK(bin_of(NAN) == kOutside);
    CHECK(bin_of(INFINITY) == kOutside);
    CHECK(kOutside >= kMostBins);
}

namespace {

/// Why an axis is refused; empty if it is not.
template <typename T>
std::string refusal(const Axis& axis) {
    return thrown_by([&] { bin_finder<T>(axis, nullptr); });
}

}  // namespace

TEST_CASE("an invalid axis, or one that is finer than its values, is refused") {
    for (const Axis& axis : {Axis{0, 1, 0}, Axis{1, 1, 5}, Axis{2, 1, 5}, Axis{NAN, 1, 5},
                             Axis{0, INFINITY, 5}, Axis{-1e308, 1e308, 5}}) {
        CHECK(refusal<float>(axis).find("an axis takes bins") != std::string::npos);
        CHECK(refusal<double>(axis).find("an axis takes bins") != std::string::npos);
    }
    for (const Axis& axis :
         {Axis{1e6, 1e6 + 1, 64}, Axis{0, 1, 1u << 20}, Axis{0, 1e39, 4}, Axis{0, 1e-44, 4}})
        CHECK(refusal<float>(axis).find("finer than float values") != std::string::npos);
    for (const Axis& axis : {Axis{1e15, 1e15 + 1, 64}, Axis{0, 1e-310, 4}})
        CHECK(refusal<double>(axis).find("finer than double values") != std::string::npos);
    // The range, both ends and the scale are limited by the float's own range.
    constexpr double kMost = std::numeric_limits<float>::max();
    for (const auto& [accepted, refused] : {std::pair(Axis{0, kMost / 2, 4}, Axis{0, kMost / 1.99, 4}),
                                            {{kMost / 2, kMost, 4}, {kMost / 1.5, kMost * 1.01, 4}},
                                            {{0, 0x1p126, 1}, {0, 0x1.01p126, 1}},
                                            {{0, 1 / kMost, 1}, {0, 0.99 / kMost, 1}}}) {
        CHECK(refusal<float>(accepted) == "");
        CHECK(refusal<float>(refused) != "");
    }
    // The tolerance is slightly less than a quarter of a bin.
    for (const Axis& axis : {Axis{0, 1, 1u << 18}, Axis{2, 3, 1u << 17}, Axis{-3, -2, 1u << 17}}) {
        CHECK(refusal<float>(axis) != "");
        CHECK(refusal<float>({axis.low, axis.high, axis.bins - 1}) == "");
    }
    CHECK(refusal<float>({-1, 1, 64}) == "");
    CHECK(refusal<double>({-1, 1, 64}) == "");
    CHECK(refusal<double>({1e6, 1e6 + 1, 64}) == "");
}

TEST_CASE("numbers are printed in the fewest digits that are read back as the same number, or roughly") {
    CHECK(shortest(9.95) == "9.95");
    CHECK(shortest(1.0 / 3) == "0.3333333333333333");
    CHECK(shortest(0.1 + 0.2) == "0.30000000000000004");
    CHECK(rough(1.0 / 3) == "0.333333");
}

TEST_CASE("an axis follows from the data as numpy's does, or from a range") {
    const std::vector<double> values{3, -1, 2};
    const auto is = [](const Axis& axis, double low, double high, unsigned int bins) {
        return axis.low == low && axis.high == high && axis.bins == bins;
    };
    CHECK(is(axis_for({}, values), -1, 3, 64));
    CHECK(is(axis_for({}, std::vector<float>{2, 2}), 1.5, 2.5, 64));
    CHECK(is(axis_for({}, std::vector<float>{}), 0, 1, 64));
    CHECK(is(axis_for({.bins = 5}, values), -1, 3, 5));
    CHECK(is(axis_for({.bins = 7, .range = {{0, 0.3}}}, values), 0, 0.3, 7));
}

// --- Broken joint histograms ----------------------------------------------------------------------

TEST_CASE("truncation toward zero is found") {
    CHECK(check_joint<double>(broken_joint(truncated_toward_zero::kernel<double>)));
}

TEST_CASE("values past the end of a row that count in the next are found") {
    CHECK(check_joint<double>(broken_joint(no_range_check::kernel<double>)));
}

TEST_CASE("a last bin without its upper edge is found") {
    CHECK(check_joint<float>(broken_joint(no_upper_edge::kernel<float>)));
}

TEST_CASE("bins by a rounded place are found") {
    CHECK(check_joint<float>(broken_joint(no_edge_lookup::kernel<float>)));
    CHECK(check_joint<double>(broken_joint(no_edge_lookup::kernel<double>)));
}

// --- Weighted histograms --------------------------------------------------------------------------

namespace {

/// `n` weights: floating-point numbers of both signs and very different sizes, or integers of all sizes.
template <typename Weight>
std::vector<Weight> hard_weights(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<Weight> weights(n);
    for (Weight& weight : weights)
        weight = std::is_integral_v<Weight>
                     ? static_cast<Weight>(random() >> random() % 40)
                     : static_cast<Weight>((fraction(random) - 0.25) * std::exp2(random() % 40));
    return weights;
}

/// Adds up `values` and `weights` on the device.
template <typename Counter, typename T, typename Weight>
Sums device_sums(const std::vector<T>& values, const std::vector<Weight>& weights, const Case& c,
                 double scale) {
    const Shifted<T> d_values(values, c.first_offset);
    const Shifted<Weight> d_weights(weights, c.second_offset);
    const DeviceAxis<T> axis(c.x);
    const DeviceBuffer<Counter> d_sums(c.x.bins);
    CUDA_CHECK(cudaMemset(d_sums.data(), 0xA5, d_sums.bytes()));
    weighted_histogram(d_values.data, d_weights.data, c.n, axis, d_sums.data(), scale, c.shape);
    return numbers_of<Weight>(d_sums.to_host(), scale);
}

template <typename Counter, typename T, typename Weight>
std::vector<ExpectedSum> expected_sums(const std::vector<T>& values, const std::vector<Weight>& weights,
                                       const Axis& axis, double scale) {
    std::vector<ExpectedSum> expected;
    for (const ReferenceSum& bin : weighted_on_cpu<ReferenceSum>(1, values, weights, EdgeSearch(axis)))
        expected.push_back(expected_sum<Weight, Counter>(bin, scale));
    return expected;
}

template <typename Weight>
double scale_for(const std::vector<Weight>& weights) {
    long double magnitudes = 0;
    for (const Weight weight : weights) magnitudes += std::fabs(static_cast<long double>(weight));
    return fixed_point_scale(static_cast<double>(magnitudes));
}

/// @return What was wrong, in words; nothing if all was right.
template <typename T, typename Weight, typename Counter>
std::optional<std::string> check_weighted() {
    std::vector<Case> cases = all_cases();
    for (const unsigned int bins : {1u, 58112u, 58113u, 200000u}) cases.push_back({5003, {0, 1, bins}});
    for (const Case& c : cases) {
        const std::vector<T> values = hard_values<T>(c.x, c.n, c.n);
        const std::vector<Weight> weights = hard_weights<Weight>(c.n, c.n);
        const double scale = std::is_integral_v<Weight> ? 1 : scale_for(weights);
        const auto wrong = verify_sums(device_sums<Counter>(values, weights, c, scale),
                                       expected_sums<Counter>(values, weights, c.x, scale));
        if (wrong) return describe(c) + *wrong;
    }
    return std::nullopt;
}

using Fixed = unsigned long long;

}  // namespace

TEST_CASE("integer weights are added up exactly, for every n, alignment, axis and shape") {
    CHECK(check_weighted<float, int, unsigned long long>().value_or("") == "");
    CHECK(check_weighted<double, long long, unsigned long long>().value_or("") == "");
}

TEST_CASE("floating point weights are added up within the bound, in each kind of counter") {
    CHECK(check_weighted<float, float, float>().value_or("") == "");
    CHECK(check_weighted<float, float, double>().value_or("") == "");
    CHECK(check_weighted<float, float, Fixed>().value_or("") == "");
    CHECK(check_weighted<double, double, float>().value_or("") == "");
    CHECK(check_weighted<double, double, double>().value_or("") == "");
    CHECK(check_weighted<double, double, Fixed>().value_or("") == "");
}

TEST_CASE("float sums depend on the grid; integers and fixed point do not") {
    const std::size_t n = 50021;
    const std::vector<float> values = hard_values<float>(kUnit, n, 1), weights = hard_weights<float>(n, 2);
    const std::vector<int> whole = hard_weights<int>(n, 3);
    std::set<Sums> floats, doubles, integers, fixed;
    for (const unsigned int grid : {1, 2, 3, 5, 8, 13}) {
        const Case c{n, kUnit, kUnit, 0, 0, {grid, 64 * grid}};
        floats.insert(device_sums<float>(values, weights, c, 1));
        doubles.insert(device_sums<double>(values, weights, c, 1));
        integers.insert(device_sums<unsigned long long>(values, whole, c, 1));
        fixed.insert(device_sums<Fixed>(values, weights, c, scale_for(weights)));
    }
    CHECK(floats.size() > 1);
    CHECK(doubles.size() > 1);
    CHECK(integers.size() == 1);
    CHECK(fixed.size() == 1);
}

TEST_CASE("weights of any finite size have a fixed point that they can't overflow") {
    const Case c{4099, kUnit};
    const std::vector<double> values = hard_values<double>(kUnit, c.n, 1);
    for (const double size : {1e-300, 1e-30, 1.0, 1e30, 1e300}) {
        for (const double weight : {size, -size}) {
            const std::vector<double> weights(c.n, weight);
            const double scale = scale_for(weights);
            CHECK(verify_sums(device_sums<Fixed>(values, weights, c, scale),
                              expected_sums<Fixed>(values, weights, c.x, scale))
                      .value_or("") == "");
        }
    }
    CHECK(fixed_point_scale(0) == 1);
    CHECK(fixed_point_scale(1) == std::exp2(61));
    CHECK(fixed_point_scale(std::exp2(61) * 1.9) == 1);
    CHECK_THROWS_AS(fixed_point_scale(INFINITY), std::invalid_argument);
    CHECK_THROWS_AS(fixed_point_scale(NAN), std::invalid_argument);
}

TEST_CASE("the bound is the textbook's, and a sum that is off by more is found") {
    ReferenceSum bin;
    for (int k = 0; k < 1000; ++k) bin += 0.5;
    const double u = std::exp2(-24);
    CHECK(expected_sum<float, float>(bin, 1).bound == Approx(999 * u / (1 - 999 * u) * 500));
    CHECK(expected_sum<double, float>(bin, 1).bound == Approx(1000 * u / (1 - 1000 * u) * 500));
    CHECK(expected_sum<float, unsigned long long>(bin, 1024).bound == 500.0 / 1024);
    CHECK(expected_sum<int, unsigned long long>(bin, 1).bound == 0);
    for (const double off : {0.9, 1.1, -1.1, static_cast<double>(NAN)}) {
        const ExpectedSum expected = expected_sum<float, float>(bin, 1);
        CHECK(verify_sums({500 + off * expected.bound}, {expected}).has_value() == (off != 0.9));
    }
    CHECK(verify_sums({}, {{0, 0}}));
    bin.terms = std::size_t{1} << 25;  // so many that a float may lose all of them
    CHECK(std::isinf(expected_sum<float, float>(bin, 1).bound));
    CHECK(expected_sum<float, double>(bin, 1).bound < 1e-5);
}

TEST_CASE("the exact sum keeps what a long double would lose") {
    ExactSum sum;
    for (const long double term : {1e30L, 1.0L, -1e30L, 0x1p-60L}) sum.add(term);
    CHECK(sum.value() == 1 + 0x1p-60L);
}

TEST_CASE("32-bit sums of weights are found") {
    const std::size_t n = 5003;
    const std::vector<float> values = hard_values<float>(kUnit, n, 1);
    const std::vector<int> weights = hard_weights<int>(n, 2);
    const DeviceAxis<float> axis(kUnit);
    const Shifted<float> d_values(values, 0);
    const Shifted<int> d_weights(weights, 0);
    const DeviceBuffer<unsigned long long> d_sums(kUnit.bins);
    CUDA_CHECK(cudaMemset(d_sums.data(), 0, d_sums.bytes()));
    int_sums::kernel<<<3, 96, kUnit.bins * sizeof(int)>>>(d_values.data, d_weights.data, n, axis.on_device(),
                                                          d_sums.data());
    CHECK(verify_sums(numbers_of<int>(d_sums.to_host(), 1),
                      expected_sums<unsigned long long>(values, weights, kUnit, 1)));
}

// --- Input and output -----------------------------------------------------------------------------

namespace {

Pairs<double> parse(const std::string& text, const std::string& columns = "") {
    return parse_pairs("f.csv", text, columns);
}

/// The parser's message about a text; empty if it accepts the text.
std::string refusal(const std::string& text, const std::string& columns = "") {
    return thrown_by([&] { parse(text, columns); });
}

}  // namespace

TEST_CASE("columns are read by name, with any line ends, quotes and spaces") {
    const auto right = [](const Pairs<double>& pairs) {
        return pairs.first == std::vector<double>{1, -2.5e-3} && pairs.second == std::vector<double>{3, 4};
    };
    CHECK(right(parse("a,b\n1,3\n-2.5e-3,4\n")));
    CHECK(right(parse("a,b\r\n1,3\r\n-2.5e-3,4\r\n")));
    CHECK(right(parse("a,b\r1,3\r-2.5e-3,4")));
    CHECK(right(parse("\xEF\xBB\xBFx,b\n1,3\n\n\n-2.5e-3,4\n\n", "x,b")));
    CHECK(right(parse("a,b\n\"1\",\"+3\"\n -2.5e-3 ,4.0\n")));
    CHECK(right(parse("a,b,c\n3,x,1\n4,\"y\ny\",-.0025\n", "c,a")));
    const Pairs<double> named = parse("\"the \"\"x\"\"\",the\x1b y\n1,3\n");
    CHECK(named.first_name == "the \"x\"");
    CHECK(named.second_name == "the\\x1b y");
    CHECK(parse("x,y\n").first.empty());
    CHECK(parse("x,y\n5,5\n", "x,x").second == std::vector<double>{5});
}

TEST_CASE("what is no table of finite numbers is refused by file, line and column") {
    CHECK(refusal("x,y\n1,2\n3,\n") == "f.csv, line 3, column 2 (y): there is nothing");
    CHECK(refusal("x,y\n3,nan\n") == "f.csv, line 2, column 2 (y): 'nan' is not a finite number");
    CHECK(refusal("x,y\nInf,-inf\n").find("line 2, column 1 (x): 'Inf'") != std::string::npos);
    for (const char* bad : {"1e999", "0x10", "2 3", "\" 2 \"", "2;3", "4,5"})
        CHECK(refusal("x,y\n1," + std::string(bad) + "\n").find("f.csv, line 2") == 0);
    CHECK(refusal("x,y\n1,\" 2 \"\n").find("column 2 (y): ' 2 '") != std::string::npos);
    CHECK(refusal(std::string("x,y\n1,2\0\n", 9)).find("column 2") != std::string::npos);
    CHECK(refusal("x,y\n1,2\n3\n") == "f.csv, line 3: the first line names 2 columns, and this one has 1");
    CHECK(refusal("x,y\n1,2,3\n") == "f.csv, line 2: the first line names 2 columns, and this one has 3");
    CHECK(refusal("x,y\r1,2\r3,\r").find("f.csv, line 3,") == 0);
    CHECK(refusal("x,y\r\n1,2\r\n3,\r\n").find("f.csv, line 3,") == 0);
    CHECK(refusal("x,y\n\"1\n\",2\n").find("line 3, column 1 (x)") != std::string::npos);
    CHECK(refusal("x,y\n3,4\"5\n") == "f.csv, line 2: a quotation mark is in the wrong place");
    CHECK(refusal("x,y\n3,\"4\n") == "f.csv, line 2: the file ends inside of quotation marks");
    CHECK(refusal("x,y\n1,2\n1,5,2,5\n") ==  // with decimal commas
          "f.csv, line 3: the first line names 2 columns, and this one has 4");
    CHECK(refusal("x,y\n" + std::string(100000, ',')) == "f.csv, line 2: there are more than 65536 columns");
    CHECK(refusal("") == "f.csv: there is nothing in it");
    CHECK(refusal("\n\r\n") == "f.csv: there is nothing in it");
}

TEST_CASE("a file whose first line does not name the columns is refused") {
    for (const char* bad : {"1,2\n3,4\n", "x,1\n", "x,nan\n", "x,\n", "x,y,-inf\n"})
        CHECK(refusal(bad).find("must name all of them") != std::string::npos);
    CHECK(refusal("1,2\n3,4\n").find("f.csv, line 1, column 1: '1'") == 0);
    CHECK(refusal("x;y\n1;2\n") == "f.csv, line 1: pairs take two columns, and there is only one");
    CHECK(refusal("x,y\n1,2\n", "x,z") == "--columns: f.csv has no column 'z'");
    CHECK(refusal("x,y,x\n1,2,3\n", "x,y") == "--columns: f.csv has several columns 'x'");
}

TEST_CASE("whatever is done to a file, it is read as finite numbers or refused in one line") {
    const std::string good = "x,\"y, z\",w\r\n1.5,-2e3,7\r\n\"3\",4,\"a \"\"b\"\"\"\r\n-0,1e-300,\r\n";
    const std::string bytes = "0123456789.,;\"\n\r\t eE+-naifx\0\x1b\xEF\xFF";
    Random random(5);
    for (int round = 0; round < 4000; ++round) {
        std::string text = good;
        for (std::size_t change = random() % 6 + 1; change > 0 && !text.empty(); --change) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0: text.erase(at, random() % 4 + 1); break;
                case 1: text.insert(at, 1, bytes[random() % bytes.size()]); break;
                case 2: text[at] = static_cast<char>(random()); break;
                default: text.insert(at, text.substr(random() % text.size(), random() % 20));
            }
        }
        try {
            const Pairs<double> pairs = parse(text);
            REQUIRE(pairs.first.size() == pairs.second.size());
            for (const double value : pairs.first) REQUIRE(std::isfinite(value));
            for (const double value : pairs.second) REQUIRE(std::isfinite(value));
        } catch (const BadOption& error) {
            const std::string what = error.what();
            REQUIRE(!what.empty());
            REQUIRE(std::none_of(what.begin(), what.end(), [](unsigned char c) { return c < ' '; }));
        }
    }
}

TEST_CASE("the same seed makes the same pairs on every platform") {
    const Pairs<float> clouds = make_pairs("clouds", 1000, 1);
    CHECK(clouds.first == make_pairs("clouds", 1000, 1).first);
    CHECK(clouds.first != make_pairs("clouds", 1000, 2).first);
    for (const NamedPairs& input : named_pairs()) CHECK(make_pairs(input.name, 7, 1).second.size() == 7);
    const Pairs<float> uniform = make_pairs("uniform", 1, 5489);  // the first draw is 0xC96D191CF6F6AEA6
    CHECK(uniform.first[0] == 0xC96D19p-24f);
    CHECK_THROWS_AS(make_pairs("nothing", 1, 1), std::invalid_argument);
    const MadeWeights weights = make_weights(1000, 1);
    for (std::size_t i = 0; i < 1000; ++i)
        CHECK((weights.spread[i] >= 0 && weights.spread[i] < 1 && weights.whole[i] < 1 << 24));
}

TEST_CASE("a coarser map holds the same pairs in the same places") {
    const JointHistogram fine{"x", "y", {0, 5, 5}, {0, 2, 2}, {1, 2, 3, 4, 5, 10, 20, 30, 40, 50}};
    CHECK(coarser(fine, 2, 1) == Results{3, 7, 5, 30, 70, 50});
    CHECK(coarser(fine, 1, 2) == Results{11, 22, 33, 44, 55});
    CHECK(coarser(fine, 1, 1) == fine.bins);
}
