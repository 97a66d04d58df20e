/// @file
/// @brief `--weighted`: weights added up in every way, timed, and compared with error bounds.
///        Grids of several sizes show which sums depend on the order of the additions.
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

#include "../../../common/bench/output_file.hpp"
#include "../histograms/weighted.cuh"
#include "on_cpu.hpp"
#include "pairs_table.cuh"
#include "weighted_reference.hpp"

/// A way of adding up weights: a row of the table.
struct Way {
    const char* name;
    std::function<void(LaunchShape)> run;
    std::function<void()> poison;  ///< overwrites the sums
    std::function<Sums()> sums;    ///< waits for the last run and returns its result
    std::vector<ExpectedSum> expected;

    /// What is wrong with the last run, in words.
    Verdict verdict() const { return verdict_of(verify_sums(sums(), expected)); }
};

/// @brief The way of adding up weights in counters of one type.
/// @tparam Counter The counters' type.
/// @param[in] scale For fixed point: how many units make 1.
template <typename Counter, typename T, typename Weight>
Way make_way(const char* name, const T* d_values, const Weight* d_weights, std::size_t n,
             const DeviceAxis<T>& axis, const std::vector<ReferenceSum>& reference, double scale = 1) {
    const auto d_sums = std::make_shared<DeviceBuffer<Counter>>(axis.bins());
    Way way{name,
            [=, &axis](LaunchShape shape) {
                weighted_histogram(d_values, d_weights, n, axis, d_sums->data(), scale, shape);
            },
            [=] { CUDA_CHECK(cudaMemset(d_sums->data(), 0xA5, d_sums->bytes())); },
            [=] { return numbers_of<Weight>(d_sums->to_host(), scale); },
            {}};
    for (const ReferenceSum& bin : reference)
        way.expected.push_back(expected_sum<Weight, Counter>(bin, scale));
    return way;
}

/// @brief Runs one way with grids of several sizes, which change the order of additions, and prints a line.
/// @return Whether all results were right.
inline bool print_orders(const Way& way, const std::vector<unsigned int>& grids, unsigned int block) {
    std::set<Sums> results;
    Verdict verdict;
    for (const unsigned int grid : grids) {
        way.run({grid, block});
        results.insert(way.sums());
        if (!verdict.is_wrong()) verdict = way.verdict();
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
                rough(static_cast<double>(apart)).c_str(),
                (verdict.is_wrong() ? "  " + verdict.words : "").c_str());
    return !verdict.is_wrong();
}

/// @return A line of CSV per bin: its edges and its sum.
inline std::string as_csv(const Sums& sums, const Axis& axis) {
    const std::vector<double> edges = edges_of(axis);
    std::string text = "low,high,sum\n";
    for (std::size_t b = 0; b < sums.size(); ++b)
        text += shortest(edges[b]) + "," + shortest(edges[b + 1]) + "," +
                shortest(static_cast<double>(sums[b])) + "\n";
    return text;
}

/// @brief Measures, prints and writes the sums of weights of type `T`, float or double.
/// @param[in] whole Integer weights, one per value; empty if the weights are not integers.
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

    PairsTable<T> table("weighted histogram", pairs, options, device);
    const T *const d_values = table.first(), *const d_weights = table.second();
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

    for (const Way& way : ways)
        table.jobs.push_back({.name = way.name,
                              .work = [&] { way.run(options.shape); },
                              .prepare = way.poison,
                              .verify = [&] { return way.verdict(); },
                              .shape = options.shape});
    const auto add_up_on = [&](std::size_t some) {
        return [&, some] { return weighted_on_cpu<double>(some, pairs.first, pairs.second, axis.on_host()); };
    };
    const auto verify = [&](const std::vector<double>& sums) {
        return verdict_of(verify_sums({sums.begin(), sums.end()}, in_doubles));
    };
    table.jobs.push_back(job_on_cpu(kOneCore, add_up_on(1), verify));
    table.jobs.push_back(job_on_cpu(kAllCores, add_up_on(cores), verify));
    int status = table.measure_and_print("Weighted histogram of " + std::to_string(n) + " values",
                                         axis_text(pairs.first_name, bins), outside);
    const Sums sums = ways.back().sums();
    if (whole.empty() && n > 0)
        std::printf("There is no row for integer weights: not all weights are integers.\n");

    const std::vector<unsigned int> grids{1, 2, 3, 5, 8, 13, 21, 34};
    std::printf("\nIn %zu grids of %u to %u blocks:\n\n%-18s %14s %14s %10s %16s\n", grids.size(),
                grids.front(), grids.back(), "", "largest error", "its bound", "results", "furthest apart");
    for (const Way& way : ways)
        if (!print_orders(way, grids, options.shape.block)) status = 1;
    if (!options.bins.empty()) write_output(options.bins, as_csv(sums, bins));
    return status;
}
