/// @file
/// @brief Narrows down a wrong variant's fault by varying its first failing case.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../checks/check_variant.cuh"

/// The first case in which a variant is wrong, and the error.
struct Failure {
    Case c;
    std::string words;  ///< without the case
};

/// @brief Describes a variant's fault by its results.
/// @tparam Problem The problem that the variant solves.
template <typename Problem>
class Diagnosis {
 public:
    using Element = typename Problem::Element;  ///< the type of the input's elements

    /// @param[in] variant Must outlive the diagnosis.
    Diagnosis(const Variant<Problem>& variant, const Failure& failure) : variant_(variant), c_(failure.c) {}

    /// @return Sentences that distinguish the failing case from correct ones, the most informative first;
    ///         none if nothing was found.
    std::vector<std::string> sentences() {
        if (right(c_))
            return {
                "The same case is right when tried again: the result depends on the order of the threads."};
        const std::vector<Element> data = check_detail::data_of<Problem>(c_), zeros(c_.n);
        const auto answer = answer_to(data), to_zeros = answer_to(zeros);
        if (to_zeros && to_zeros->got.back() == 0) look_for_single_elements();
        if (answer) look_at_numbers(*answer);
        if (c_.n == 0) say("Without elements, the results must be 0.");
        // Every second call counts zeros.
        if (answer && is_right(*answer) && to_zeros)
            say(is_right(*to_zeros)
                    ? "The first call is right and a later one wrong: something that a call leaves "
                      "behind is not cleared or reset."
                    : "The result is right for different elements and wrong for equal ones: additions to one "
                      "result get lost.");
        try_other_addresses_and_shapes();
        return said_;
    }

 private:
    struct Answer {
        Results got, expected;
    };
    static bool is_right(const Answer& answer) { return answer.got == answer.expected; }

    void say(const std::string& sentence) { said_.push_back(sentence); }

    bool right(const Case& c) const { return variant_.refusal(c.shape).empty() && !check_case(variant_, c); }

    /// The results of one call; nothing if it fails.
    std::optional<Answer> answer_to(const std::vector<Element>& data) const {
        const DeviceBuffer<Element> d_data(variant_.on_cpu ? 0 : data.size());
        try {
            Runner<Problem> runner(variant_, data.size(), c_.shape);
            if (!variant_.on_cpu && !data.empty())
                CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
            runner.run(variant_.on_cpu ? data.data() : d_data.data());
            return Answer{runner.results(), variant_.expected(Problem::reference(data.data(), data.size()))};
        } catch (const std::exception&) {
            forget_fault();
            return std::nullopt;
        }
    }

    /// How often single elements are used: all others are 0, so the last result comes from one element.
    void look_for_single_elements() {
        std::vector<Element> data(c_.n);
        std::size_t tried = 0, left_out = 0, repeated = 0;
        std::string first_left_out, first_repeated;
        for (std::size_t i = 0; i < c_.n && tried < 200; ++i) {
            if (i >= 40 && i % 64 != 0 && i % 64 != 63 && i + 3 < c_.n) continue;  // ends of warps and blocks
            data[i] = Problem::kResults > 1 ? static_cast<Element>(-1) : 1;
            const auto answer = answer_to(data);
            data[i] = 0;
            ++tried;
            if (!answer || answer->got.back() > c_.n) return;  // something else is wrong
            const unsigned long long times = answer->got.back();
            if (times == 0 && left_out++ == 0)
                first_left_out = "Element " + std::to_string(i) + " is left out";
            if (times > 1 && repeated++ == 0)
                first_repeated =
                    "Element " + std::to_string(i) + " is used " + std::to_string(times) + " times";
        }
        const auto and_others = [](std::size_t count, const char* what) {
            return count > 1 ? ", and " + std::to_string(count - 1) + " others of those tried are" + what
                             : ".";
        };
        if (left_out == tried && tried > 1)
            say("No element is used at all.");
        else if (left_out > 0)
            say(first_left_out + and_others(left_out, ", too."));
        if (repeated > 0) say(first_repeated + and_others(repeated, " used more than once."));
    }

    /// Draws conclusions from the wrong results.
    void look_at_numbers(const Answer& answer) {
        const auto& [got, expected] = answer;
        std::size_t untouched = 0, added_to_poison = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (got[i] == kPoison)
                ++untouched;
            else if (got[i] - kPoison == expected[i])
                ++added_to_poison;
        }
        if (untouched == got.size())
            say("Nothing was stored.");
        else if (untouched > 0)
            say(std::to_string(untouched) + " of " + std::to_string(got.size()) +
                " bins were never stored: they still have their old values.");
        if (added_to_poison > 0) say("The result was added to the old value: clear it first.");
        if (got.size() != kBytes || !said_.empty()) return;
        const unsigned long long sum = std::accumulate(got.begin(), got.end(), 0ull);
        if (sum > c_.n && sum - got[0xA5] + expected[0xA5] == c_.n)
            say("Bin 165 includes bytes 0xA5, which are before and after the input: an index is out of "
                "range.");
        else if (sum != c_.n)
            say((sum < c_.n ? "Counts are missing: the bins add up to " : "There are too many counts: ") +
                std::to_string(sum) + ".");
    }

    void try_other_addresses_and_shapes() {
        Case other = c_;
        other.offset = 0;
        if (c_.offset != 0 && right(other)) say("The result is right if the input is at an aligned address.");

        std::string right_blocks, wrong_blocks;
        other = c_;
        for (const unsigned int block : {1u, 32u, 33u, 64u, 96u, 128u, 256u, 512u, 1000u, 1024u}) {
            other.shape.block = block;
            if (!variant_.refusal(other.shape).empty() || block == c_.shape.block) continue;
            std::string& blocks = right(other) ? right_blocks : wrong_blocks;
            blocks += (blocks.empty() ? "" : ", ") + std::to_string(block);
        }
        if (right_blocks == "1")
            say("The result is right with one thread per block, and wrong with more.");
        else if (!right_blocks.empty())
            say("It depends on the block size: right for blocks of " + right_blocks + " threads" +
                (wrong_blocks.empty() ? "." : ", also wrong for " + wrong_blocks + "."));

        other = c_;
        other.shape.grid = 1;
        if (c_.shape.grid != 1 && right(other))
            say("The result is right with a grid of one block: blocks interfere with each other.");
        other.shape.grid = static_cast<unsigned int>(c_.n / 32 + 1);
        if (c_.n > 32 && right(other) && said_.size() < 2)
            say("The result is right with more blocks: each thread must continue until all elements are "
                "used.");

        other = c_;
        other.n = (c_.n + 1023) / 1024 * 1024;
        if (other.n != c_.n && right(other))
            say("The result is right if n is a multiple of the block size: look at the last elements.");
        other = c_;
        other.input = Problem::inputs()[0].name;
        if (Problem::kResults == 1 && other.input != c_.input && right(other))
            say("The sum of small numbers is right, and that of large ones wrong: every step needs 64 bits.");
    }

    static constexpr unsigned long long kPoison = 0xA5A5A5A5A5A5A5A5ull;
    static constexpr std::size_t kBytes = 256;

    const Variant<Problem>& variant_;
    const Case c_;
    std::vector<std::string> said_;
};
