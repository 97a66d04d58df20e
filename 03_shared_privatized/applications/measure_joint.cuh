/// @file
/// @brief `--joint`: pairs counted in every way there is, timed, verified and shown.
#pragma once

#include <climits>
#include <cstddef>
#include <string>
#include <vector>

#include "../../common/bench/histogram_report.hpp"
#include "../../common/problem/verify.hpp"
#include "device_pairs.cuh"
#include "joint.cuh"
#include "joint_cub.cuh"
#include "joint_map.hpp"
#include "on_cpu.hpp"

/// @brief Times and verifies every way of counting pairs.
/// @param[in,out] histogram Its axes; afterwards the bins that the device counted.
/// @param[in]     expected  The bins to expect.
template <typename T>
std::vector<Row> measure_joint(JointHistogram& histogram, const Pairs<T>& pairs,
                               const DevicePairs<T>& d_pairs, const Results& expected,
                               const ApplicationOptions& options, const Device& device) {
    const DeviceAxis<T> x(histogram.x), y(histogram.y);
    const DeviceBuffer<unsigned long long> d_bins(expected.size());
    Bench bench(d_pairs.common_row("joint histogram"), options, &device);
    const auto verify = [&](const Results& bins) { return verdict_of(verify_one_by_one(bins, expected)); };
    for (const Counting counting : {Counting::global, Counting::shared, Counting::copies}) {
        if (counting != Counting::global &&
            copies_that_fit(expected.size() * sizeof(unsigned int), options.shape.block_or(kPairBlock)) == 0)
            continue;
        bench.add({.name = name_of(counting),
                   .run =
                       [&, counting] {
                           joint_histogram(counting, d_pairs.first(), d_pairs.second(), d_pairs.n, x, y,
                                           d_bins.data(), options.shape);
                       },
                   .prepare = [&] { CUDA_CHECK(cudaMemset(d_bins.data(), 0xA5, d_bins.bytes())); },
                   .verify = [&] { return verify(histogram.bins = d_bins.to_host()); },
                   .shape = options.shape});
    }
    Results on_cpu;
    const auto add_on_cpu = [&](const char* name, std::size_t cores) {
        const auto count = [&, cores] {
            on_cpu = joint_on_cpu(cores, pairs.first, pairs.second, x.on_host(), y.on_host());
        };
        bench.add({.name = name, .run = count, .verify = [&] { return verify(on_cpu); }, .on_cpu = true});
    };
    add_on_cpu(kOneCore, 1);
    add_on_cpu(kAllCores, cores_for(d_pairs.n, expected.size()));
    bench.add_read_ceiling(d_pairs.first(), d_pairs.buffer.bytes());
#ifdef __CUDACC__
    if (d_pairs.n > 0 && d_pairs.n <= UINT_MAX)
        bench.add(
            cub_joint(JointBinNumber<T>{d_pairs.first(), d_pairs.second(), x.on_device(), y.on_device()},
                      d_pairs.n, expected));
#endif
    return bench.run();
}

/// Measures, prints and writes the joint histogram of pairs of `T`, float or double.
/// @return The program's exit status: 1 if a result is wrong.
template <typename T>
int run_joint(const Pairs<T>& pairs, const ApplicationOptions& options, const Device& device) {
    JointHistogram histogram{pairs.first_name,
                             pairs.second_name,
                             axis_for(options.x, pairs.first),
                             axis_for(options.y, pairs.second),
                             {}};
    const std::size_t n = pairs.first.size(), bins = joint_bins(histogram.x.bins, histogram.y.bins);
    const Results expected = joint_on_cpu(cores_for(n, bins), pairs.first, pairs.second,
                                          EdgeSearch(histogram.x), EdgeSearch(histogram.y));
    std::size_t outside = n;
    for (const unsigned long long count : expected) outside -= count;

    const DevicePairs<T> d_pairs(pairs);
    const std::vector<Row> rows = measure_joint(histogram, pairs, d_pairs, expected, options, device);
    print_table("Joint histogram of " + std::to_string(n) + " pairs",
                axis_text(histogram.x_name, histogram.x) + ", " + axis_text(histogram.y_name, histogram.y),
                outside, rows, device);
    print_map(histogram);
    if (!options.bins.empty()) write_output(options.bins, as_csv(histogram));
    return status_of(rows);
}
