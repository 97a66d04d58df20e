/// @file
/// @brief Checks joint histograms, and checks that broken ones are found.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../common/problem/verify.hpp"
#include "../broken/no_edge_lookup.cuh"
#include "../broken/no_range_check.cuh"
#include "../broken/no_upper_edge.cuh"
#include "../broken/truncated_toward_zero.cuh"
#include "../histograms/joint.cuh"
#include "../measuring/on_cpu.hpp"
#include "cases.cuh"

namespace pair_checks {

/// A function with the parameters of `joint_histogram`, except where to count, which is its own choice.
template <typename T>
using JointFunction =
    std::function<void(const T* d_x, const T* d_y, std::size_t n, const DeviceAxis<T>& x,
                       const DeviceAxis<T>& y, unsigned long long* d_bins, LaunchShape shape)>;

/// @return A description of the first error; nothing if the counts are right.
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

/// Clears the bins and launches a broken kernel, with 3 blocks of 96 threads.
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

TEST_CASE("joint bins count past 2^32, and a grid whose blocks could overflow is rejected") {
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

}  // namespace pair_checks
