/// @file
/// @brief `--weighted`: weights added up in every way there is, timed, compared with error bounds, and shown
/// to
///        depend on the order of the additions, or not to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "../../common/bench/histogram_report.hpp"
#include "device_pairs.cuh"
#include "on_cpu.hpp"
#include "weighted.cuh"
#include "weighted_reference.hpp"

/// The bins' sums as numbers, whatever the counters were.
using Sums = std::vector<long double>;

/// A way of adding up weights.
struct Way {
    const char* name;
    std::function<void(LaunchShape)> run;
    std::function<void()> poison;  ///< fills the sums with something else
    std::function<Sums()> sums;    ///< what the last run gave; waits for it
    std::vector<ExpectedSum> expected;

    /// What is wrong with the last run, in words.
    std::string verdict() const { return verdict_of(verify_sums(sums(), expected)); }
};

/// @tparam Counter What weights are added up in.
/// @param[in] scale For fixed point.
template <typename Counter, typename T, typename Weight>
Way make_way(const char* name, const T* d_values, const Weight* d_weights, std::size_t n,
             const DeviceAxis<T>& axis, const std::vector<ReferenceSum>& reference, double scale = 1) {
    const auto d_sums = std::make_shared<DeviceBuffer<Counter>>(axis.bins());
    const auto numbers = [=] {
        Sums sums;
        for (const Counter sum : d_sums->to_host()) sums.push_back(number_of<Weight>(sum, scale));
        return sums;
    };
    std::vector<ExpectedSum> expected;
    expected.reserve(reference.size());
    for (const ReferenceSum& bin : reference) expected.push_back(expected_sum<Weight, Counter>(bin, scale));
    return {name,
            [=, &axis](LaunchShape shape) {
                weighted_histogram(d_values, d_weights, n, axis, d_sums->data(), scale, shape);
            },
            [=] { CUDA_CHECK(cudaMemset(d_sums->data(), 0xA5, d_sums->bytes())); }, numbers, expected};
}

/// Times and verifies the ways, and what the CPU adds up in doubles.
/// @param[in] expected What double counters should hold.
template <typename T>
std::vector<Row> measure_weighted(const std::vector<Way>& ways, const Pairs<T>& pairs,
                                  const DevicePairs<T>& d_pairs, const DeviceAxis<T>& axis,
                                  const std::vector<ExpectedSum>& expected, const ApplicationOptions& options,
                                  const Device& device) {
    Bench bench(d_pairs.common_row("weighted histogram"), options, &device);
    for (const Way& way : ways)
        bench.add({.name = way.name,
                   .run = [&] { way.run(options.shape); },
                   .prepare = way.poison,
                   .verify = [&] { return way.verdict(); },
                   .shape = options.shape});
    std::vector<double> sums;
    const auto verify = [&] { return verdict_of(verify_sums({sums.begin(), sums.end()}, expected)); };
    const auto add_on_cpu = [&](const char* name, std::size_t cores) {
        const auto add_up = [&, cores] {
            sums = weighted_on_cpu<double>(cores, pairs.first, pairs.second, axis.on_host());
        };
        bench.add({.name = name, .run = add_up, .verify = verify, .on_cpu = true});
    };
    add_on_cpu(kOneCore, 1);
    add_on_cpu(kAllCores, cores_for(d_pairs.n, axis.bins()));
    bench.add_read_ceiling(d_pairs.first(), d_pairs.buffer.bytes());
    return bench.run();
}

/// @brief Runs a way in grids of several sizes, which change the order of its additions, and prints a line.
/// @return Whether all results were right.
inline bool print_orders(const Way& way, const std::vector<unsigned int>& grids, unsigned int block) {
    std::set<Sums> results;
    std::string verdict;
    for (const unsigned int grid : grids) {
        way.run({grid, block});
        results.insert(way.sums());
        if (way.verdict() != "ok") verdict = "  " + way.verdict();
    }
    long double error = 0, apart = 0;
    double bound = way.expected.front().bound;
    for (std::size_t b = 0; b < way.expected.size(); ++b) {
        long double least = std::numeric_limits<long double>::infinity(), greatest = -least;
        for (const Sums& sums : results) {
            least = std::min(least, sums[b]);
            greatest = std::max(greatest, sums[b]);
            const long double its_error = std::fabs(sums[b] - way.expected[b].exact);
            if (its_error > error) bound = way.expected[b].bound;
            error = std::max(error, its_error);
        }
        apart = std::max(apart, greatest - least);
    }
    std::printf("%-18s %14s %14s %10zu %16s%s\n", way.name, rough(static_cast<double>(error)).c_str(),
                std::isinf(bound) ? "none" : rough(bound).c_str(), results.size(),
                rough(static_cast<double>(apart)).c_str(), verdict.c_str());
    return verdict.empty();
}

/// Prints a bar for each bin, or for several neighbours where there are more than 32.
inline void print_bars(const Sums& sums, const Axis& axis, const std::string& value,
                       const std::string& weight) {
    const std::size_t together = (sums.size() + 31) / 32;
    Sums bars((sums.size() + together - 1) / together, 0);
    for (std::size_t b = 0; b < sums.size(); ++b) bars[b / together] += sums[b];
    long double most = 0;
    for (const long double bar : bars) most = std::max(most, std::fabs(bar));
    std::printf("\n%14s  %14s\n", (value + " from").c_str(), ("sum of " + weight).c_str());
    const std::vector<double> edges = edges_of(axis);
    for (std::size_t k = 0; k < bars.size(); ++k) {
        const auto length = static_cast<std::size_t>(most > 0 ? std::fabs(bars[k]) / most * 40 + 0.5L : 0);
        std::printf("%14s  %14s  %s\n", rough(edges[k * together]).c_str(),
                    rough(static_cast<double>(bars[k])).c_str(), std::string(length, '#').c_str());
    }
}

/// Every bin's edges and sum.
inline std::string as_csv(const Sums& sums, const Axis& axis) {
    const std::vector<double> edges = edges_of(axis);
    std::string text = "low,high,sum\n";
    for (std::size_t b = 0; b < sums.size(); ++b)
        text += shortest(edges[b]) + "," + shortest(edges[b + 1]) + "," +
                shortest(static_cast<double>(sums[b])) + "\n";
    return text;
}

/// @brief Measures, prints and writes the sums of weights of type `T`, float or double.
/// @param[in] whole Weights that are integers, one per value; none if there are no such weights.
/// @return The program's exit status: 1 if a result is wrong.
template <typename T, typename Whole>
int run_weighted(const Pairs<T>& pairs, const std::vector<Whole>& whole, const ApplicationOptions& options,
                 const Device& device) {
    const std::size_t n = pairs.first.size();
    const Axis bins = axis_for(options.x, pairs.first);
    const DeviceAxis<T> axis(bins);
    const std::size_t cores = cores_for(n, bins.bins);
    const EdgeSearch search(bins);
    const auto reference = weighted_on_cpu<ReferenceSum>(cores, pairs.first, pairs.second, search);
    std::size_t outside = n;
    for (const ReferenceSum& bin : reference) outside -= bin.terms;
    long double magnitudes = 0;
    for (const T weight : pairs.second) magnitudes += std::fabs(static_cast<long double>(weight));
    const double scale = fixed_point_scale(static_cast<double>(magnitudes));

    const DevicePairs<T> d_pairs(pairs);
    const T *const d_values = d_pairs.first(), *const d_weights = d_pairs.second();
    const DeviceBuffer<Whole> d_whole(whole.size());
    CUDA_CHECK(cudaMemcpy(d_whole.data(), whole.data(), d_whole.bytes(), cudaMemcpyHostToDevice));
    std::vector<Way> ways;
    if (!whole.empty())
        ways.push_back(
            make_way<unsigned long long>("integer weights", d_values, d_whole.data(), n, axis,
                                         weighted_on_cpu<ReferenceSum>(cores, pairs.first, whole, search)));
    ways.push_back(make_way<float>("float counters", d_values, d_weights, n, axis, reference));
    ways.push_back(make_way<double>("double counters", d_values, d_weights, n, axis, reference));
    const std::vector<ExpectedSum> in_doubles = ways.back().expected;
    ways.push_back(
        make_way<unsigned long long>("fixed point", d_values, d_weights, n, axis, reference, scale));

    const std::vector<Row> rows = measure_weighted(ways, pairs, d_pairs, axis, in_doubles, options, device);
    const Sums sums = ways.back().sums();
    print_table("Weighted histogram of " + std::to_string(n) + " values", axis_text(pairs.first_name, bins),
                outside, rows, device);
    if (whole.empty() && n > 0)
        std::printf("The integer weights are left out: not all weights are integers.\n");

    const std::vector<unsigned int> grids{1, 2, 3, 5, 8, 13, 21, 34};
    std::printf("\nIn %zu grids of %u to %u blocks:\n\n%-18s %14s %14s %10s %16s\n", grids.size(),
                grids.front(), grids.back(), "", "largest error", "its bound", "results", "furthest apart");
    int status = status_of(rows);
    for (const Way& way : ways)
        if (!print_orders(way, grids, options.shape.block)) status = 1;
    print_bars(sums, bins, pairs.first_name, pairs.second_name);
    if (!options.bins.empty()) write_output(options.bins, as_csv(sums, bins));
    return status;
}
