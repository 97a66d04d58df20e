/// @file
/// @brief What it means for a sum of squares to be right: `check_sum(variant)`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../bench/sum_input.cuh"
#include "../bench/variants.hpp"
#include "../cuda/device_buffer.cuh"
#include "../problem/sum_of_squares.cuh"

/// One situation that a variant must come right in.
struct SumCase {
    std::size_t n;
    const char* input;
    std::size_t offset = 0;  ///< how many ints past an aligned address the data begin
    LaunchShape shape{};
    int calls = 3;  ///< in one workspace
};

/// @brief Runs a variant several times in one workspace, onto a dirty sum, and compares each time.
/// @return What was wrong, in words; nothing if all was right.
inline std::optional<std::string> check_sum_case(const SumVariant& variant, const SumCase& c) {
    std::vector<int> data;
    for (const NamedInts& input : named_ints())
        if (std::string(c.input) == input.name) data = input.make(c.n, c.n + 1);
    const unsigned long long expected = reference_sum(data.data(), data.size());
    constexpr unsigned long long kDirty = 0xA5A5A5A5A5A5A5A5ull;
    std::optional<std::string> wrong;
    try {
        // Just as large as needed: reading past the end is then a fault, where anyone looks for one.
        const DeviceBuffer<int> d_data(c.offset + c.n);
        const DeviceBuffer<unsigned long long> d_sum(2), d_workspace(variant.workspace_size(c.n, c.shape));
        if (c.n > 0)
            CUDA_CHECK(
                cudaMemcpy(d_data.data() + c.offset, data.data(), c.n * sizeof(int), cudaMemcpyHostToDevice));
        if (d_workspace.size() > 0) CUDA_CHECK(cudaMemset(d_workspace.data(), 0, d_workspace.bytes()));
        for (int call = 0; call < c.calls && !wrong; ++call) {
            const unsigned long long before[2] = {kDirty, kDirty};
            CUDA_CHECK(cudaMemcpy(d_sum.data(), before, sizeof(before), cudaMemcpyHostToDevice));
            variant.run(d_data.data() + c.offset, c.n, d_sum.data(), d_workspace.data(), c.shape);
            const std::vector<unsigned long long> got = d_sum.to_host();
            if (got[0] != expected)
                wrong = "call " + std::to_string(call + 1) + ": expected " + std::to_string(expected) +
                        ", got " + std::to_string(got[0]);
            if (got[1] != kDirty) wrong = "the number behind the sum was written";
        }
    } catch (const std::exception& error) {
        wrong = error.what();
        forget_fault();
    }
    if (!wrong) return std::nullopt;
    return std::string(variant.name) + ", n = " + std::to_string(c.n) + ", input " + c.input + ", offset " +
           std::to_string(c.offset) + ", grid " + std::to_string(c.shape.grid) + ", block " +
           std::to_string(c.shape.block) + " (0: default): " + *wrong;
}

/// @brief Checks a variant in all the situations that it claims to be right in.
/// @return The first failure that was found, in words; nothing if there was none.
inline std::optional<std::string> check_sum(const SumVariant& variant) {
    std::vector<SumCase> cases;
    for (const std::size_t n :
         {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 512, 513, 32767, 32768, 32769, 100003})
        for (const NamedInts& input : named_ints()) cases.push_back({n, input.name});
    for (std::size_t offset = 1; offset < 16; ++offset)
        for (const std::size_t n : {0, 1, 3, 4, 5, 1000, 4099}) cases.push_back({n, "random", offset});
    for (const unsigned int block : {1, 32, 33, 64, 96, 128, 256, 512, 992, 1000, 1024})
        for (const unsigned int grid : {0, 1, 2, 7, 64})
            if (variant.refusal({grid, block}).empty()) cases.push_back({5003, "random", 1, {grid, block}});
    if (variant.refusal({1500, 64}).empty()) cases.push_back({5003, "random", 1, {1500, 64}});
    for (const SumCase& c : cases)
        if (const auto wrong = check_sum_case(variant, c)) return wrong;
    return std::nullopt;
}

/// How many ints `check_large_sum` takes: more than 31 bits can count.
constexpr std::size_t kLargeSum = (std::size_t{1} << 31) + 3;

/// @brief Checks a variant on more than 2^31 ints, made in device memory: -1, but for the last three.
/// @return What was wrong; nothing if all was right.
inline std::optional<std::string> check_large_sum(const SumVariant& variant, std::size_t n = kLargeSum) {
    const DeviceBuffer<int> d_data(n);
    const DeviceBuffer<unsigned long long> d_sum(1), d_workspace(variant.workspace_size(n, {}));
    const std::vector<int> end = {3, 5, -7};
    CUDA_CHECK(cudaMemset(d_data.data(), 0xff, d_data.bytes()));
    CUDA_CHECK(cudaMemcpy(d_data.data() + n - 3, end.data(), 3 * sizeof(int), cudaMemcpyHostToDevice));
    if (d_workspace.size() > 0) CUDA_CHECK(cudaMemset(d_workspace.data(), 0, d_workspace.bytes()));
    variant.run(d_data.data(), n, d_sum.data(), d_workspace.data(), {});
    const unsigned long long expected = n - 3 + 9 + 25 + 49, got = d_sum.to_host()[0];
    if (got == expected) return std::nullopt;
    return std::string(variant.name) + ", n = " + std::to_string(n) + ": expected " +
           std::to_string(expected) + ", got " + std::to_string(got);
}

/// @return Whether `check_large_sum` can be tried here: on a GPU, in seconds.
inline bool can_check_large_sum() {
    const Device device = init_cuda();
    return !device.simulated && device.free_bytes > 3 * kLargeSum * sizeof(int);
}
