/// @file
/// @brief Checks of chapter 05.
#include <new>
#include <numeric>
#include <sstream>
#include <string>

#include "../common/bench/variants.hpp"
#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/checks/far_elements.cuh"
#include "../common/checks/far_memory.hpp"
#include "../common/checks/setting.hpp"
#include "clocks.cuh"
#include "device_info.cuh"
#include "kernels.cuh"
#include "loads.cuh"

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const Variant<SumOfSquares>& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("more than 2^31 ints add up right") {
    if (!has_room_for<SumOfSquares>(kLargeSizes[0]))
        return skip_check("needs a GPU with 25 GiB of free memory");
    // The other variants launch at most eight blocks, which would take too long.
    CHECK(check_large(variant_named(kVariants, "a fitting grid")).value_or("") == "");
}

TEST_CASE("the first and the last of more than 2^32 ints are used") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    for (const Variant<SumOfSquares>& variant : kVariants)
        CHECK(check_far_elements(variant).value_or("") == "");
}

TEST_CASE("more than 2^32 threads have an element and a partial sum each") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    const unsigned int grid = (1u << 22) + 4, block = 1024;
    const std::size_t n = std::size_t{grid} * block;
    const auto data = check_detail::zeros_without_room<int>(n);
    const auto partials = check_detail::zeros_without_room<unsigned long long>(n);
    check_detail::forbid_mebibyte(data.get(), 0);
    data[0] = 2;
    data[n - 1] = 3;
    const check_detail::EndsOnly ends_only;
    blocks_kernel<<<grid, block>>>(data.get(), n, partials.get());
    CUDA_CHECK(cudaGetLastError());
    CHECK(partials[0] == 4);
    CHECK(partials[n - 1] == 9);
    if (kAddressSanitizer) return;
    // A kernel's first access to unreadable memory shows an index without running the whole loop.
    constexpr std::size_t kFar = 1ull << 32;
    check_detail::make_unreadable(data.get(), n * sizeof(int));
    for (const auto kernel : {contiguous_kernel, strided_kernel}) {
        kernel<<<1, 1>>>(data.get(), kFar, partials.get());
        CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
        forget_fault();
    }
    std::ostringstream address;
    address << &data[kFar];
    bool second_ran_first = false;
    for (std::uint64_t seed = 1; seed < 10; ++seed) {
        const Setting setting("CUDA_SIM_SEED", seed);
        contiguous_kernel<<<1, 2>>>(data.get(), 2 * kFar, partials.get());
        const std::string fault = cudaGetErrorString(cudaGetLastError());
        second_ran_first |= fault.find(address.str()) != std::string::npos;
        forget_fault();
    }
    CHECK(second_ran_first);
    check_detail::make_readable(data.get(), kFar * sizeof(int));
    strided_kernel<<<1, 1024>>>(data.get(), 2 * kFar, partials.get());
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    forget_fault();
}

TEST_CASE("more than 2^32 partial sums are all asked for") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    if (kAddressSanitizer) return skip_check("the sanitizer ends the program where memory is short");
    const LaunchShape shape{1u << 30, 1024};
    const int data = 3;
    unsigned long long sum = 0;
    const auto partials = check_detail::zeros_without_room<unsigned long long>(
        variant_named(kVariants, "a fitting grid").workspace_size(1, shape));
    const check_detail::AddressSpaceLimit no_second(9ull << 40);  // for 8 TiB of partial sums
    const check_detail::EndsOnly ends_only;
    CHECK_THROWS_AS(sum_fitting(&data, 1, &sum, partials.get(), shape), std::bad_alloc);
}

TEST_CASE("the kernels with clocks leave the same sums, and clocks run from each block's start to its end") {
    const std::size_t n = 100003;
    const std::vector<int> data(n, -0x7fffffff);  // its square needs more than 32 bits
    const DeviceBuffer<int> d_data(n);
    CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
    const auto check = [&](auto plain, auto timed, unsigned int blocks) {
        const DeviceBuffer<unsigned long long> d_plain(blocks * 64), d_timed(blocks * 64);
        const DeviceBuffer<long long> d_clocks(2 * blocks);
        for (const unsigned int block : {1, 64}) {
            CUDA_CHECK(cudaMemset(d_plain.data(), 0, d_plain.bytes()));
            CUDA_CHECK(cudaMemset(d_timed.data(), 0, d_timed.bytes()));
            CUDA_CHECK(cudaMemset(d_clocks.data(), 0xff, d_clocks.bytes()));
            plain<<<blocks, block>>>(d_data.data(), n, d_plain.data());
            timed<<<blocks, block>>>(d_data.data(), n, d_timed.data(), d_clocks.data());
            CUDA_CHECK(cudaGetLastError());
            CHECK(d_plain.to_host() == d_timed.to_host());
            const std::vector<long long> clocks = d_clocks.to_host();
            for (std::size_t b = 0; b < blocks; ++b) {
                CHECK(clocks[b] > 0);
                CHECK(clocks[blocks + b] > clocks[b]);
            }
        }
    };
    check(contiguous_kernel, timed_contiguous_kernel, 1);
    check(strided_kernel, timed_blocks_kernel, 1);
    check(blocks_kernel, timed_blocks_kernel, 8);
    CHECK(earliest_to_latest({10, 20, 15, 40}) == 30);
    CHECK(longest_block({10, 20, 15, 40}) == 20);
}

TEST_CASE("the kernels of --loads and --strides leave the sums of the chapter's kernels") {
    const unsigned int block = 64;
    for (const std::size_t n : {0, 1, 63, 64, 65, 1023, 1024, 1025, 4096, 10007}) {
        std::vector<int> data(n);
        for (std::size_t i = 0; i < n; ++i) data[i] = -0x7fffffff + static_cast<int>(i);
        const DeviceBuffer<int> d_data(n);
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
        const auto partials = [&](auto kernel, unsigned int blocks) {
            const DeviceBuffer<unsigned long long> d_partials(blocks * block);
            CUDA_CHECK(cudaMemset(d_partials.data(), 0xff, d_partials.bytes()));
            kernel<<<blocks, block>>>(d_data.data(), n, d_partials.data());
            CUDA_CHECK(cudaGetLastError());
            return d_partials.to_host();
        };
        const Results chunks = partials(contiguous_kernel, 1), strides = partials(strided_kernel, 1);
        for (std::size_t k = 0; k < kLoadsSteps.size(); ++k) {
            INFO(kLoadsSteps[k].name << ", n = " << n);
            CHECK(partials(kLoadsSteps[k].kernel, 1) == (k % 2 == 0 ? chunks : strides));
        }
        CHECK(partials(stride_kernel<1>, 3) == partials(blocks_kernel, 3));
        const unsigned long long sum = reference_sum(data.data(), n);
        for (const LoadsStep& step : kStrideSteps) {
            INFO(step.name << ", n = " << n);
            const Results sums = partials(step.kernel, 3);
            CHECK(std::accumulate(sums.begin(), sums.end(), 0ull) == sum);
        }
    }
}
