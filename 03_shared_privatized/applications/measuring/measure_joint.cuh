/// @file
/// @brief `--joint`: pairs counted in every way, timed, verified and shown.
#pragma once

#include <climits>
#include <cstddef>
#include <numeric>
#include <string>

#include "../../../common/bench/output_file.hpp"
#include "../../../common/problem/verify.hpp"
#include "../histograms/joint.cuh"
#include "joint_cub.cuh"
#include "joint_map.hpp"
#include "on_cpu.hpp"
#include "pairs_table.cuh"

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
    const std::size_t cores = cores_for(n, bins);
    const Results expected =
        joint_on_cpu(cores, pairs.first, pairs.second, EdgeSearch(histogram.x), EdgeSearch(histogram.y));
    const auto verify = [&](const Results& got) { return verdict_of(verify_one_by_one(got, expected)); };
    const DeviceAxis<T> x(histogram.x), y(histogram.y);
    const DeviceBuffer<unsigned long long> d_bins(bins);
    PairsTable<T> table("joint histogram", pairs, options, device);

    for (const Counting counting : {Counting::global, Counting::shared, Counting::copies}) {
        if (counting != Counting::global &&
            copies_that_fit(bins * sizeof(unsigned int), options.shape.block_or(kPairBlock)) == 0)
            continue;
        table.jobs.push_back({.name = name_of(counting),
                              .work =
                                  [&, counting] {
                                      joint_histogram(counting, table.first(), table.second(), n, x, y,
                                                      d_bins.data(), options.shape);
                                  },
                              .prepare = [&] { CUDA_CHECK(cudaMemset(d_bins.data(), 0xA5, d_bins.bytes())); },
                              .verify = [&] { return verify(histogram.bins = d_bins.to_host()); },
                              .shape = options.shape});
    }
    const auto count_on = [&](std::size_t some) {
        return [&, some] { return joint_on_cpu(some, pairs.first, pairs.second, x.on_host(), y.on_host()); };
    };
    table.jobs.push_back(job_on_cpu(kOneCore, count_on(1), verify));
    table.jobs.push_back(job_on_cpu(kAllCores, count_on(cores), verify));
#ifdef __CUDACC__
    if (n > 0 && n <= UINT_MAX)
        table.jobs.push_back(cub_joint(
            JointBinNumber<T>{table.first(), table.second(), x.on_device(), y.on_device()}, n, expected));
#endif
    const int status = table.measure_and_print(
        "Joint histogram of " + std::to_string(n) + " pairs",
        axis_text(histogram.x_name, histogram.x) + ", " + axis_text(histogram.y_name, histogram.y),
        n - std::accumulate(expected.begin(), expected.end(), std::size_t{0}));
    print_map(histogram);
    if (!options.bins.empty()) write_output(options.bins, as_csv(histogram));
    return status;
}
