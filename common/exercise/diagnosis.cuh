/// @file
/// @brief What kind of fault a wrong variant has: its first failing case is tried again in other forms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../checks/check_variant.cuh"

/// The first case in which a variant is wrong, and what was wrong.
struct Failure {
    Case c;
    std::string words;  ///< without the case
};

/// A case in words, without what is as usual.
inline std::string words_of(const Case& c) {
    std::string words = "n = " + std::to_string(c.n) + ", input " + c.input;
    if (c.offset != 0)
        words += ", which begins " + std::to_string(c.offset) + " elements past an aligned address";
    if (c.shape.grid != 0) words += ", a grid of " + std::to_string(c.shape.grid);
    if (c.shape.block != 0) words += ", blocks of " + std::to_string(c.shape.block) + " threads";
    return words;
}

/// What check_case says, without the variant and the case, with which it begins.
template <typename Problem>
std::string without_case(const Variant<Problem>& variant, const Case& c, const std::string& wrong) {
    return wrong.substr((std::string(variant.name) + ", " + check_detail::describe(c) + ": ").size());
}

/// @return The first failure in the cases that a variant claims to be right in; nothing if there is none.
template <typename Problem>
std::optional<Failure> first_failure(const Variant<Problem>& variant) {
    for (const Case& c : check_detail::cases_of(variant))
        if (const auto wrong = check_case(variant, c)) return Failure{c, without_case(variant, c, *wrong)};
    return std::nullopt;
}

namespace diagnosis_detail {

constexpr unsigned long long kPoison64 = 0xA5A5A5A5A5A5A5A5ull, kPoison32 = 0xA5A5A5A5ull;

/// Whether a sum modulo 2^64 differs by a few poisoned numbers of 64 or of 32 bits.
constexpr bool is_garbage(unsigned long long excess) {
    unsigned long long inverse = kPoison64;  // modulo 2^64, by Newton's iteration: an odd number has one
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - kPoison64 * inverse;
    constexpr unsigned long long kFew = 1 << 20;
    return excess != 0 && (excess * inverse < kFew || (excess % kPoison32 == 0 && excess / kPoison32 < kFew));
}

/// What a variant answers when it is called once, and what it should.
struct Answer {
    Results got, expected;
};

template <typename Problem>
std::optional<Answer> answer_of(const Variant<Problem>& variant, const Case& c) {
    const auto data = check_detail::data_of<Problem>(c);
    const DeviceBuffer<typename Problem::Element> d_data(variant.on_cpu ? 0 : c.n);
    try {
        Runner<Problem> runner(variant, c.n, c.shape);
        if (!variant.on_cpu && c.n > 0)
            CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
        runner.run(variant.on_cpu ? data.data() : d_data.data());
        return Answer{runner.results(), variant.expected(Problem::reference(data.data(), c.n))};
    } catch (const std::exception&) {
        forget_fault();
        return std::nullopt;
    }
}

/// What the numbers themselves say.
inline std::vector<std::string> look_at(const Answer& answer, std::size_t n) {
    std::vector<std::string> said;
    const auto& [got, expected] = answer;
    std::size_t untouched = 0, added_to_garbage = 0, garbage = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i] == kPoison64)
            ++untouched;
        else if (got[i] - kPoison64 == expected[i])
            ++added_to_garbage;
        else
            garbage += is_garbage(got[i]) || is_garbage(got[i] - expected[i]);
    }
    if (untouched == got.size())
        said.emplace_back(
            "Nothing was stored: this is 0xA5A5A5A5A5A5A5A5, which memory holds that was never written.");
    else if (untouched > 0)
        said.emplace_back(std::to_string(untouched) + " of " + std::to_string(got.size()) +
                          " bins were never stored: they still hold what was there before the call.");
    if (added_to_garbage > 0)
        said.emplace_back("The result was added to what was there before the call: clear the results first.");
    else if (garbage > 0)
        said.emplace_back(
            "This contains 0xA5A5A5A5, which memory holds that was never written: store to all of it "
            "before it is read.");
    if (got.size() == 1 || untouched + added_to_garbage + garbage > 0) return said;
    const unsigned long long sum = std::accumulate(got.begin(), got.end(), 0ull);
    if (got.size() == 256 && got[0xA5] > expected[0xA5])
        said.emplace_back(
            "Bin 165 counts bytes 0xA5, which lie before and after the input: an index leaves the input.");
    else if (sum < n)
        said.emplace_back(std::to_string(n - sum) + " of " + std::to_string(n) + " bytes are missing.");
    else if (sum > n && n > 0 && sum % n == 0)
        said.emplace_back("Every byte is counted " + std::to_string(sum / n) + " times.");
    else if (sum > n)
        said.emplace_back(std::to_string(sum - n) + " bytes are counted that are not there, or twice.");
    return said;
}

}  // namespace diagnosis_detail

/// @brief What distinguishes a failing case from those in which the variant is right.
/// @return Sentences, the most telling first; none if nothing was found.
template <typename Problem>
std::vector<std::string> diagnose(const Variant<Problem>& variant, const Failure& failure) {
    const Case& c = failure.c;
    std::vector<std::string> said;
    const auto right = [&variant](const Case& other) {
        return variant.refusal(other.shape).empty() && !check_case(variant, other);
    };
    const auto with = [&c](const std::function<void(Case&)>& change) {
        Case other = c;
        change(other);
        return other;
    };

    if (right(c))
        return {"The same case, tried again, is right: the result depends on the order of the threads."};
    if (const auto answer = diagnosis_detail::answer_of(variant, c))
        said = diagnosis_detail::look_at(*answer, c.n);
    if (c.n == 0) said.emplace_back("Without any element the results are 0.");
    if (right(with([](Case& other) { other.calls = 1; })))
        said.emplace_back(
            "The first call is right and a later one wrong: something that a call leaves behind is "
            "not cleared or reset.");
    if (c.offset != 0 && right(with([](Case& other) { other.offset = 0; })))
        said.emplace_back("With the input at an aligned address the result is right.");
    const bool many_equal = c.input == "constant" || c.input == "uniform" || c.input == "skewed";
    if (Problem::kResults > 1 && c.n > 1 && many_equal && right(with([](Case& other) {
            other.n = std::min<std::size_t>(other.n, 256), other.input = "sorted";
        })) &&
        !right(with(
            [](Case& other) { other.n = std::min<std::size_t>(other.n, 256), other.input = "constant"; })))
        said.emplace_back(
            "Bytes that all differ are counted right, equal ones are not: additions to one bin get lost.");

    std::string right_blocks, wrong_blocks;
    for (const unsigned int block : {1u, 32u, 33u, 64u, 96u, 128u, 256u, 512u, 1000u, 1024u}) {
        const Case other = with([block](Case& changed) { changed.shape.block = block; });
        if (!variant.refusal(other.shape).empty() || block == c.shape.block) continue;
        std::string& list = right(other) ? right_blocks : wrong_blocks;
        list += (list.empty() ? "" : ", ") + std::to_string(block);
    }
    if (!right_blocks.empty())
        said.emplace_back("It depends on the block: right for blocks of " + right_blocks + " threads" +
                          (wrong_blocks.empty() ? "." : ", wrong for " + wrong_blocks + " too."));
    const auto blocks = static_cast<unsigned int>(c.n / 32 + 1);
    if (right(with([](Case& other) { other.shape.grid = 1; })))
        said.emplace_back("With a grid of one block the result is right: blocks get in each other's way.");
    else if (c.n > 0 && right(with([blocks](Case& other) { other.shape.grid = blocks; })))
        said.emplace_back(
            "With more blocks the result is right: threads have to go on until all elements are used.");
    if (c.n % 1024 != 0 && right(with([](Case& other) { other.n = (other.n + 1023) / 1024 * 1024; })))
        said.emplace_back(
            "Where n is a multiple of the block the result is right: something at the end is missed, or "
            "something past it is used.");
    if (Problem::kResults == 1 && c.input != "article" &&
        right(with([](Case& other) { other.input = "article"; })))
        said.emplace_back("Small numbers add up right, large ones do not: 64 bits are needed at every step.");
    return said;
}
