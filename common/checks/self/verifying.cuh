/// @file
/// @brief Checks of the verifications, of `PreparedVariant`, and of `check_variant`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../cuda/device_buffer.cuh"
#include "../../problem/histogram.hpp"
#include "../../problem/input.hpp"
#include "../../problem/sum_of_squares.cuh"
#include "../catch.hpp"
#include "../check_variant.cuh"

namespace verifying_checks {

TEST_CASE("a result that includes unwritten memory or an unset variable is recognized, and no other is") {
    const auto words_of = [](unsigned long long got, unsigned long long expected) {
        return verify_one_by_one({got}, {expected}).value();
    };
    for (const auto& [byte, words] :
         {std::pair<unsigned char, const char*>{0xA5, "0xA5A5A5A5"}, {kUnset, "before it had a value"}}) {
        const unsigned long long wide = byte * 0x0101010101010101ull, narrow = wide >> 32;
        const auto negative =
            static_cast<unsigned long long>(static_cast<long long>(static_cast<int>(narrow)));
        const unsigned long long seven_counters = 7 * narrow % (1ull << 32);  // in 32 bits, per block
        for (const unsigned long long expected : {0ull, 7ull, 1ull << 40})
            for (const unsigned long long number : {wide, 2 * wide, narrow, 1000 * narrow, negative,
                                                    5 * negative, seven_counters, 4 * seven_counters}) {
                CHECK(words_of(number, expected).find(words) != std::string::npos);
                CHECK(words_of(expected + number, expected).find(words) != std::string::npos);
            }
    }
    CHECK(words_of(0xA5A5A5A5A5A5A5A5ull, 7).find("which is 0xA5A5A5A5A5A5A5A5") != std::string::npos);
    const auto is_recognized = [&](unsigned long long got, unsigned long long expected) {
        return words_of(got, expected).find(", which ") != std::string::npos;
    };
    for (const unsigned long long got : {0ull, 1ull, 8ull, 165ull, 1ull << 39, ~0ull})
        CHECK_FALSE(is_recognized(got, 7));
    unsigned int mistaken = 0;  // the number of counts, slightly too low or too high, that are recognized
    for (unsigned long long count = 1; count <= 100000; ++count)
        mistaken += is_recognized(100000 - count, 100000) + is_recognized(100000 + count, 100000);
    CHECK(mistaken == 0);
}

/// A variant that does not check its launch, so that the next call of cudaGetLastError returns the error.
void unnoticed(const unsigned char*, std::size_t n, unsigned long long* d_bins, unsigned long long*,
               LaunchShape) {
    cudaMemset(d_bins, 0, kBins * sizeof(*d_bins));
    if (n > 0) cudaMemset(nullptr, 0, 1);
}

TEST_CASE("each verification finds the errors that it can find") {
    const std::vector<unsigned char> data = big_random_block(1000, 1);
    const Bins right = reference_histogram(data.data(), data.size());
    CHECK_FALSE(verify_by_sum(right, 1000));
    CHECK_FALSE(verify_in_reverse(right, data.data(), data.size()));
    CHECK_FALSE(verify_one_by_one(right, right));

    Bins lost = right;
    --lost[9];
    CHECK(verify_by_sum(lost, 1000));
    CHECK(verify_in_reverse(lost, data.data(), data.size()).value() ==
          "bin 9 is not 0 after subtracting all elements: -1 left");
    CHECK(verify_one_by_one(lost, right).value().find("bin 9") != std::string::npos);

    Bins swapped = right;
    ++swapped[3];
    --swapped[4];
    CHECK_FALSE(verify_by_sum(swapped, 1000));  // the sum can't see it
    CHECK(verify_in_reverse(swapped, data.data(), data.size()));
    CHECK(verify_one_by_one(swapped, right));
    Bins longer = right, first_128(right.begin(), right.begin() + 128);
    longer.push_back(0);
    CHECK(verify_one_by_one(longer, right).value() == "257 results instead of 256");
    CHECK(verify_one_by_one(first_128, right));
    for (const std::size_t bin : {0, 255}) {
        Bins wrong = right;
        ++wrong[bin];
        CHECK(verify_in_reverse(wrong, data.data(), data.size()));
        CHECK(verify_one_by_one(wrong, right));
    }
    CHECK(verify_one_by_one({1, 2}, {1, 3}).value() == "bin 1: expected 3, got 2");
    for (const std::size_t bins : {1, 8, 128}) {
        const Variant<Histogram> fewer{.name = "", .run = nullptr, .results = bins};
        CHECK_FALSE(verify_in_reverse(fewer.expected(right), data.data(), data.size()));
    }
    constexpr unsigned long long kMany = 1ull << 32;
    CHECK_FALSE(verify_by_sum({kMany, 5}, kMany + 5));
    CHECK(verify_by_sum({kMany, 5}, 5).value() == "the bins add up to 4294967301, not 5");
    CHECK(verify_by_sum({5}, kMany + 5));
}

/// A correct but slow variant of any problem: the CPU's loop over a copy.
template <typename Problem>
void copy_and_compute(const typename Problem::Element* d_data, std::size_t n, unsigned long long* d_results,
                      unsigned long long*, LaunchShape) {
    std::vector<typename Problem::Element> data(n);
    CUDA_CHECK(cudaMemcpy(data.data(), d_data, n * sizeof(data[0]), cudaMemcpyDeviceToHost));
    const Results results = Problem::reference(data.data(), n);
    CUDA_CHECK(
        cudaMemcpy(d_results, results.data(), results.size() * sizeof(results[0]), cudaMemcpyHostToDevice));
}

/// A variant that only clears the results.
template <typename Problem>
void only_clear(const typename Problem::Element*, std::size_t, unsigned long long* d_results,
                unsigned long long*, LaunchShape) {
    CUDA_CHECK(cudaMemset(d_results, 0, Problem::kResults * sizeof(*d_results)));
}

/// A variant with correct results that writes a number past the end of its results or its workspace.
template <bool kBehindWorkspace>
void write_too_far(const int* d_data, std::size_t n, unsigned long long* d_results,
                   unsigned long long* d_workspace, LaunchShape shape) {
    copy_and_compute<SumOfSquares>(d_data, n, d_results, d_workspace, shape);
    CUDA_CHECK(cudaMemset(kBehindWorkspace ? d_workspace + 7 : d_results + 1, 0, sizeof(*d_results)));
}

TEMPLATE_TEST_CASE("a correct variant passes, and a wrong one is found", "", Histogram, SumOfSquares) {
    const Variant<TestType> right{.name = "right", .run = copy_and_compute<TestType>};
    const Variant<TestType> wrong{.name = "wrong", .run = only_clear<TestType>};
    CHECK(check_variant(right).value_or("") == "");
    CHECK(check_variant(wrong));
    CHECK(check_large_case(right, 1000).value_or("") == "");
    CHECK(check_large_case(wrong, 1000));
}

TEST_CASE("an error that a variant does not notice is its own failure, and not another's") {
    const auto wrong = check_variant<Histogram>({.name = "unnoticed", .run = unnoticed});
    CHECK(wrong.value().find("unnoticed, n = 1, ") == 0);
    CHECK(wrong.value().find("a launch without CUDA_CHECK(cudaGetLastError()) after it") !=
          std::string::npos);
    CHECK(cudaGetLastError() == cudaSuccess);

    const Variant<Histogram> right{.name = "right", .run = copy_and_compute<Histogram>};
    const DeviceBuffer<unsigned char> d_data(1);
    PreparedVariant<Histogram> prepared(right, 1, {});
    CHECK(cudaMemset(nullptr, 0, 1) != cudaSuccess);
    CHECK_NOTHROW(prepared.call(d_data.data()));
}

TEST_CASE("writes past the end of the results or the workspace are found") {
    Variant<SumOfSquares> variant{.name = "too far",
                                  .run = write_too_far<false>,
                                  .workspace = [](std::size_t, LaunchShape) { return std::size_t{3}; }};
    CHECK(check_variant(variant).value_or("").find("element 1 of the results is past") != std::string::npos);
    variant.run = write_too_far<true>;
    CHECK(check_variant(variant).value_or("").find("element 7 of the workspace is past") !=
          std::string::npos);
}

/// An element of the results or of the workspace, in host or device memory.
unsigned long long load(const unsigned long long* from) {
    unsigned long long value = 0;
    CUDA_CHECK(cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDefault));
    return value;
}

void store(unsigned long long* to, unsigned long long value) {
    CUDA_CHECK(cudaMemcpy(to, &value, sizeof(value), cudaMemcpyDefault));
}

enum class Use { adds, adds_and_writes, writes_results_once };

/// A variant whose result depends on the contents of its workspace.
template <Use kUse>
void use_workspace(const int* data, std::size_t n, unsigned long long* results, unsigned long long* workspace,
                   LaunchShape) {
    std::vector<int> copy(n);
    CUDA_CHECK(cudaMemcpy(copy.data(), data, n * sizeof(int), cudaMemcpyDefault));
    const unsigned long long before = load(workspace) + load(workspace + 2);
    if (kUse != Use::writes_results_once || before == 0)
        store(results, reference_sum(copy.data(), n) + before);
    if (kUse != Use::adds) store(workspace + 2, 1);
}

TEST_CASE(
    "a workspace is zero before the first call if the variant asks for that, and is kept "
    "between calls") {
    Variant<SumOfSquares> variant{.name = "workspace",
                                  .run = use_workspace<Use::adds>,
                                  .workspace = [](std::size_t, LaunchShape) { return std::size_t{3}; },
                                  .zeroed_workspace = true};
    for (const bool on_cpu : {false, true}) {
        variant.on_cpu = on_cpu;
        const auto found = [&] { return check_variant(variant).value_or(""); };
        variant.run = use_workspace<Use::adds>;
        CHECK(found() == "");
        variant.run = use_workspace<Use::adds_and_writes>;
        CHECK(found().find("call 2, on zeros: expected 0, got 1") != std::string::npos);
        variant.run = use_workspace<Use::writes_results_once>;
        const std::string poison = "11936128518282651045";
        CHECK(found().find("call 2, on zeros: expected 0, got " + poison) != std::string::npos);
    }
}

}  // namespace verifying_checks
