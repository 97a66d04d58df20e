/// @file
/// @brief The code that a user of Thrust would write: `--rivals`. The simulator has no Thrust.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "../problem/histogram.hpp"
#include "../problem/sum_of_squares.cuh"
#include "../problem/verify.hpp"
#include "cub.cuh"
#include "measure.cuh"

#ifdef __CUDACC__
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

/// The sum of squares in one call, which allocates a workspace, copies the sum to the host and waits.
inline std::vector<Job> thrust_jobs(const int* d_data, std::size_t n, const Results& expected) {
    const auto sum = std::make_shared<Results>(1);
    return {{.name = "thrust::transform_reduce",
             .work =
                 [=] {
                     (*sum)[0] = thrust::transform_reduce(thrust::device, d_data, d_data + n, CubSquare(),
                                                          0ull, CubAdd());
                 },
             .verify = [=] { return verdict_of(verify_one_by_one(*sum, expected)); }}};
}

/// A histogram by sorting the bytes and searching for the end of each value. Copying them is not timed.
inline std::vector<Job> thrust_jobs(const unsigned char* d_data, std::size_t n, const Bins& expected) {
    const auto d_sorted = std::make_shared<thrust::device_vector<unsigned char>>(n);
    const auto d_bins = std::make_shared<thrust::device_vector<unsigned long long>>(kBins);
    return {{.name = "thrust::sort",
             .work =
                 [=] {
                     thrust::sort(d_sorted->begin(), d_sorted->end());
                     const thrust::counting_iterator<int> first_value(0);
                     thrust::upper_bound(d_sorted->begin(), d_sorted->end(), first_value,
                                         first_value + static_cast<int>(kBins), d_bins->begin());
                     thrust::adjacent_difference(d_bins->begin(), d_bins->end(), d_bins->begin());
                 },
             .prepare =
                 [=] {
                     CUDA_CHECK(cudaMemcpy(thrust::raw_pointer_cast(d_sorted->data()), d_data, n,
                                           cudaMemcpyDeviceToDevice));
                 },
             .verify =
                 [=] {
                     Bins bins(kBins);
                     thrust::copy(d_bins->begin(), d_bins->end(), bins.begin());
                     return verdict_of(verify_one_by_one(bins, expected));
                 }}};
}
#else
template <typename Element>
std::vector<Job> thrust_jobs(const Element*, std::size_t, const Results&) {
    std::fprintf(stderr, "--rivals is ignored: the simulator has no Thrust\n");
    return {};
}
#endif
