/// @file
/// @brief What kind of fault a wrong variant has: its first failing case is tried again in other forms.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// @brief What a fault of one variant looks like from outside.
/// @tparam Problem What the variant computes.
template <typename Problem>
class Diagnosis {
 public:
    using Element = typename Problem::Element;  ///< what the input consists of

    /// @param[in] variant Must outlive the diagnosis.
    Diagnosis(const Variant<Problem>& variant, const Failure& failure) : variant_(variant), c_(failure.c) {}

    /// @return Sentences that distinguish the failing case from those in which the variant is right, the most
    ///         telling first; none if nothing was found.
    std::vector<std::string> sentences() {
        if (right(c_))
            return {"The same case, tried again, is right: it depends on the order of the threads."};
        const std::vector<Element> data = check_detail::data_of<Problem>(c_), zeros(c_.n);
        const auto answer = answer_to(data), to_zeros = answer_to(zeros);
        if (to_zeros && to_zeros->got.back() == 0) look_for_single_elements();
        if (answer) look_at_numbers(*answer);
        if (c_.n == 0) say("Without any element the results are 0.");
        // Every second call is of zeros.
        if (answer && is_right(*answer) && to_zeros)
            say(is_right(*to_zeros)
                    ? "The first call is right and a later one wrong: something that a call leaves "
                      "behind is not cleared or reset."
                    : "Different elements are right, equal ones are not: additions to one result "
                      "get lost.");
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

    /// What one call answers; nothing if it fails.
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

    /// How often single elements are used: all others are 0, which leave the last result 0, and one alone
    /// makes it.
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

    /// What the results themselves say.
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
                " bins were never stored: they still hold what was there before the call.");
        if (added_to_poison > 0)
            say("The result was added to what was there before the call: clear it first.");
        if (got.size() != kBytes || !said_.empty()) return;
        const unsigned long long sum = std::accumulate(got.begin(), got.end(), 0ull);
        if (sum > c_.n && sum - got[0xA5] + expected[0xA5] == c_.n)
            say("Bin 165 counts bytes 0xA5, which lie before and after the input: an index leaves the "
                "input.");
        else if (sum != c_.n)
            say((sum < c_.n ? "Counts are missing: the bins add up to " : "There are too many counts: ") +
                std::to_string(sum) + ".");
    }

    void try_other_addresses_and_shapes() {
        Case other = c_;
        other.offset = 0;
        if (c_.offset != 0 && right(other)) say("With the input at an aligned address the result is right.");

        std::string right_blocks, wrong_blocks;
        other = c_;
        for (const unsigned int block : {1u, 32u, 33u, 64u, 96u, 128u, 256u, 512u, 1000u, 1024u}) {
            other.shape.block = block;
            if (!variant_.refusal(other.shape).empty() || block == c_.shape.block) continue;
            std::string& blocks = right(other) ? right_blocks : wrong_blocks;
            blocks += (blocks.empty() ? "" : ", ") + std::to_string(block);
        }
        if (right_blocks == "1")
            say("With one thread per block the result is right, with more it is not.");
        else if (!right_blocks.empty())
            say("It depends on the block: right for blocks of " + right_blocks + " threads" +
                (wrong_blocks.empty() ? "." : ", wrong for " + wrong_blocks + " too."));

        other = c_;
        other.shape.grid = 1;
        if (c_.shape.grid != 1 && right(other))
            say("With a grid of one block the result is right: blocks get in each other's way.");
        other.shape.grid = static_cast<unsigned int>(c_.n / 32 + 1);
        if (c_.n > 32 && right(other) && said_.size() < 2)
            say("With more blocks the result is right: threads have to go on until all elements are used.");

        other = c_;
        other.n = (c_.n + 1023) / 1024 * 1024;
        if (other.n != c_.n && right(other))
            say("Where n is a multiple of the block the result is right: look at what happens at the end.");
        other = c_;
        other.input = Problem::inputs()[0].name;
        if (Problem::kResults == 1 && other.input != c_.input && right(other))
            say("Small numbers add up right, large ones do not: 64 bits are needed at every step.");
    }

    static constexpr unsigned long long kPoison = 0xA5A5A5A5A5A5A5A5ull;
    static constexpr std::size_t kBytes = 256;

    const Variant<Problem>& variant_;
    const Case c_;
    std::vector<std::string> said_;
};
