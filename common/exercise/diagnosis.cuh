/// @file
/// @brief Narrows down a wrong variant's fault by varying its first failing case.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../checks/check_variant.cuh"
#include "../checks/setting.hpp"

/// One finding of a diagnosis.
struct Sentence {
    std::string text;      ///< for the student
    bool of_race = false;  ///< threads may use the same memory at the same time: the lens may know the lines
    bool is_idea = false;  ///< it is what the failed check is about: true whatever the cause
    /// Whether both say the same.
    bool operator==(const Sentence&) const = default;
};

/// @brief Describes a variant's fault by its results.
/// @tparam Problem The problem that the variant solves.
template <typename Problem>
class Diagnosis {
 public:
    using Element = typename Problem::Element;  ///< the type of the input's elements

    /// @param[in] variant Must outlive the diagnosis.
    Diagnosis(const Variant<Problem>& variant, const Failure& failure)
        : variant_(variant),
          c_(failure.c),
          later_call_(failure.call > 1),
          says_cause_(is_simulated() && failure.kind != Failure::Kind::result) {}

    /// @return At most two sentences that distinguish the failing case from correct ones: about the first
    ///         clear cause, or guesses, the most informative first; none if nothing was found.
    std::vector<Sentence> sentences() {
        if (says_cause_) return {};
        const bool same_order = !variant_.on_cpu && is_simulated() && is_set("CUDA_SIM_WORKERS", "1");
        const std::string changes =
            variant_.on_cpu ? "perhaps a global or static variable is not reset, an index is out of range, "
                              "or threads use the same memory at the same time."
            : same_order
                ? "the threads have run in the same order, so the result depends on what other calls "
                  "leave behind, such as the value of a global or static variable."
                : "perhaps a barrier or an atomic operation is missing, an index is wrong, or a global or "
                  "static variable is not reset.";
        for (int tries = 0; tries < 5; ++tries)
            if (right(c_)) return {{"The same case is right when tried again: " + changes, !same_order}};
        const std::vector<Element> data = check_detail::data_of<Problem>(c_), zeros(c_.n);
        const auto answer = answer_to(data), to_zeros = answer_to(zeros), again = answer_to(data);
        if (answer && again && !is_right(*answer) && again->got != answer->got)
            return {{"Equal calls give different results: " + changes, !same_order}};
        if (answer) look_at_old_values(*answer);
        if (answer) look_at_sum_of_squares(*answer);
        // Every second call has zeros as input.
        if (later_call_ && answer && is_right(*answer) && to_zeros) {
            if (!is_right(*to_zeros))
                look_at_equal(*to_zeros);
            else if (always_right(data))
                say("The first call is right, but a later one is wrong: something that a call leaves behind "
                    "is not cleared or reset.");
            else
                say("The first call is sometimes right and sometimes wrong: " + changes, !same_order);
        }
        if (c_.n == 0) say("With n = 0, all results must be 0.");
        Case fewer = c_;
        fewer.n = c_.n - 1;
        if (fewer.n == kOfFloat && right(fewer))
            say("With one element less, the result is right: perhaps an index or a count is a float, which "
                "rounds 16777217 to 16777216.");
        if (!said_.empty()) return said_;

        Case more = c_;  // a single element says little about an index or a stride
        more.n = 100;
        const Case& probed = c_.n < 10 && !right(more) ? more : c_;
        look_for_single_elements(probed.n);
        if (c_.n <= kMostOften) try_other_shapes(probed);
        if (said_.empty() && answer) look_at_sum(*answer);
        if (said_.empty() || (left_out_ && !repeated_)) try_other_sizes();
        return said_;
    }

 private:
    struct Answer {
        Results got, expected;
    };
    static constexpr unsigned long long kMostTimes = 1 << 20;  ///< how often a kernel may use an element
    static constexpr std::size_t kAll = 128;                 ///< the most elements that are tried one by one
    static constexpr std::size_t kMostOften = 1 << 21;       ///< the most elements for hundreds of calls
    static constexpr std::size_t kOfFloat = 1 << 24;         ///< the most that a float counts to
    static constexpr unsigned long long kOld = 0x123456789;  ///< what the results are before a call
    static bool is_right(const Answer& answer) { return answer.got == answer.expected; }
    static unsigned long long sum_of(const Results& results) {
        return std::accumulate(results.begin(), results.end(), 0ull);
    }

    void say(const std::string& text, bool of_race = false) {
        if (said_.size() < 2) said_.push_back({text, of_race});
    }

    bool right(const Case& c) const { return variant_.refusal(c.shape).empty() && !failure_in(variant_, c); }

    /// The results of one call, with the data between poison as in the failing case; nothing if it fails.
    std::optional<Answer> answer_to(const std::vector<Element>& data) const {
        const auto poison = check_detail::element_of<Element>(kUnwritten);
        std::vector<Element> moved(c_.offset, poison);
        moved.insert(moved.end(), data.begin(), data.end());
        moved.insert(moved.end(), c_.offset, poison);
        const DeviceBuffer<Element> d_moved(variant_.on_cpu ? 0 : moved.size());
        try {
            PreparedVariant<Problem> prepared(variant_, data.size(), c_.shape);
            prepared.fill(kOld);
            if (!variant_.on_cpu && !moved.empty())
                CUDA_CHECK(cudaMemcpy(d_moved.data(), moved.data(), d_moved.bytes(), cudaMemcpyHostToDevice));
            prepared.call((variant_.on_cpu ? moved.data() : d_moved.data()) + c_.offset);
            return Answer{prepared.results(),
                          variant_.expected(Problem::reference(data.data(), data.size()))};
        } catch (const std::exception&) {
            forget_fault();
            return std::nullopt;
        }
    }

    /// Whether each of many first calls is right.
    bool always_right(const std::vector<Element>& data) const {
        for (int tries = 0; tries < 20; ++tries)
            if (const auto answer = answer_to(data); !answer || !is_right(*answer)) return false;
        return true;
    }

    /// Describes a result that is wrong for equal elements, but right for different ones.
    void look_at_equal(const Answer& answer) {
        const unsigned long long got = sum_of(answer.got), expected = sum_of(answer.expected);
        const std::string begin = "The result is right if the elements differ, but wrong if all are equal: ";
        for (const unsigned int bits : {32u, 16u, 8u})
            if (got < expected && (expected - got) % (1ull << bits) == 0)
                return say(begin + "it is too low by a multiple of 2^" + std::to_string(bits) +
                           ", as if a counter had only " + std::to_string(bits) + " bits.");
        say(begin + (got < expected ? "additions to one result are lost." : "too much is added."));
    }

    /// Finds out how often single elements are used: all others are 0, and don't change the last result.
    void look_for_single_elements(std::size_t n) {
        std::vector<Element> data(n);
        const auto to_zeros = answer_to(data);
        if (!to_zeros || to_zeros->got.back() != 0) return;
        constexpr Element last = Problem::kResults > 1 ? static_cast<Element>(-1) : 1;
        Tried tried{n};
        unsigned long long first_times = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool ends_warps = (i % 64 == 0 || i % 64 == 63) && tried.count < 160;
            const bool is_by_power_of_2 = (i & (i - 1)) == 0 || (i & (i + 1)) == 0;
            if (n > kMostOften && i > 0 && i + 2 < n) continue;
            if (n > kAll && i >= 40 && !ends_warps && !is_by_power_of_2 && i + 20 < n) continue;
            data[i] = last;
            const auto answer = answer_to(data);
            data[i] = 0;
            if (!answer || answer->got.back() > kMostTimes) return;  // something else is wrong
            const unsigned long long times = answer->got.back();
            if (times == 0)
                (sum_of(answer->got) == n ? tried.misplaced : tried.left_out).push_back({i, tried.count});
            if (times > 1) tried.repeated.push_back({i, tried.count});
            ++tried.count;
            if (first_times <= 1) first_times = times;
        }
        if (tried.left_out.size() + tried.misplaced.size() == tried.count && tried.count > 1) {
            const unsigned long long sum = sum_of(to_zeros->got);
            const auto to_equal = answer_to(std::vector<Element>(n, last));
            if (sum == 0 && to_equal && sum_of(to_equal->got) == 0)
                say("The result includes none of the elements.");
            else if (sum == 0)
                say("The result includes none of the elements that were tried.");
            else if (tried.misplaced.size() == tried.count)
                say("All elements are counted, but in the wrong bins.");
            else if (is_right(*to_zeros))
                say("Bytes of value 0 are counted, but bytes of value 255 are not: look at how the bins are "
                    "cleared and added up.");
            left_out_ = sum == 0;
            return;
        }
        if (!tried.repeated.empty())
            tried.left_out.insert(tried.left_out.end(), tried.misplaced.begin(), tried.misplaced.end());
        left_out_ = !tried.left_out.empty();
        repeated_ = !tried.repeated.empty();
        if (!tried.misplaced.empty() && tried.repeated.empty())
            say(words_about(tried.misplaced, tried) + " counted in the wrong bin.");
        if (left_out_) say(words_about(tried.left_out, tried) + " left out.");
        if (!repeated_) return;
        const std::string times = std::to_string(first_times) + " times",
                          first = std::to_string(tried.repeated[0].index);
        say(words_about(tried.repeated, tried) +
            (tried.repeated.size() == 1 ? " used " + times + "."
                                        : " used more than once (element " + first + ": " + times + ")."));
    }

    /// How many elements were tried, and those of them that were not used exactly once.
    struct Tried {
        std::size_t n;          ///< elements in the input
        std::size_t count = 0;  ///< how many were tried
        struct One {
            std::size_t index, turn;  ///< the element's index, and how many were tried before it
        };
        std::vector<One> left_out{}, misplaced{}, repeated{};
    };

    /// "Element 7 is", or "Of the elements tried, 0 to 2, 4, and 5 more are".
    std::string words_about(const std::vector<typename Tried::One>& elements, const Tried& tried) const {
        constexpr int kMostRanges = 4;
        std::vector<std::string> ranges;
        std::size_t at = 0;
        for (std::size_t end; at < elements.size() && ranges.size() < kMostRanges; at = end) {
            for (end = at + 1; end < elements.size() && elements[end].turn == elements[end - 1].turn + 1;)
                ++end;
            const std::string last = std::to_string(elements[end - 1].index);
            ranges.push_back(std::to_string(elements[at].index) +
                             (end == at + 1 ? "" : (end == at + 2 ? " and " : " to ") + last));
        }
        std::string words = tried.n != c_.n ? "With n = " + std::to_string(tried.n) + ", " : "";
        words += elements.size() == 1    ? "element "
                 : tried.count < tried.n ? "of the elements tried, "
                                         : "elements ";
        words[0] = static_cast<char>(std::toupper(words[0]));
        const std::size_t more = elements.size() - at;
        for (std::size_t k = 0; k < ranges.size(); ++k)
            words += (k == 0 ? "" : more != 0 || k + 1 < ranges.size() ? ", " : " and ") + ranges[k];
        if (more != 0) words += ", and " + std::to_string(more) + " more";
        return words + (elements.size() == 1 ? " is" : " are");
    }

    /// Recognizes sums of other numbers: the elements, or what is around the input or after the workspace.
    void look_at_sum_of_squares(const Answer& answer) {
        if (Problem::kResults > 1) return;
        const auto is_plain_sum = [this](Element value) {
            const auto answer_to_equal = answer_to(std::vector<Element>(c_.n, value));
            return answer_to_equal && answer_to_equal->got[0] == static_cast<unsigned int>(value) * c_.n;
        };
        // Two values, because the squares of a third of the 3s add up to the same as all 3s.
        if (c_.n > 0 && is_plain_sum(3) && is_plain_sum(5))
            return say("The result is the sum of the elements, not of their squares.");
        const auto poison = check_detail::element_of<Element>(kUnwritten);
        const unsigned long long square = Problem::reference(&poison, 1)[0];
        const unsigned long long excess = answer.got[0] - answer.expected[0];
        for (unsigned int times = 1; times <= 1024; ++times) {
            const bool is_input = excess == times * square;
            // 17 times kRedzoneValue is -6, which is also the difference between 3 and 9.
            if (is_input || (times < 17 && excess == times * PreparedVariant<Problem>::kRedzoneValue))
                return say(std::string("The sum includes numbers that are ") +
                           (is_input ? "before or after the input" : "after the workspace") +
                           ": an index is out of range.");
        }
    }

    /// Recognizes results that were never stored, or were added to what was there before.
    void look_at_old_values(const Answer& answer) {
        const auto& [got, expected] = answer;
        std::size_t untouched = 0, added_to = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (got[i] == kOld)
                ++untouched;
            else if (got[i] - kOld == expected[i])
                ++added_to;
        }
        if (untouched == got.size())
            say("No result was stored.");
        else if (added_to > 0)
            say("The result was added to the old value: clear it first.");
        else if (untouched > 0)
            say(std::to_string(untouched) + " of " + std::to_string(got.size()) +
                " bins were never stored: they still have their old values.");
        const unsigned long long sum = sum_of(got);
        if (got.size() == kBytes && sum > c_.n && sum - got[kUnwritten] + expected[kUnwritten] == c_.n)
            say("Bin 165 counts bytes from before or after the input, which the checks have set to 165: an "
                "index is out of range.");
    }

    void look_at_sum(const Answer& answer) {
        const unsigned long long sum = sum_of(answer.got);
        if (answer.got.size() == kBytes && sum != c_.n && sum < kOld)
            say(std::string(sum < c_.n ? "Counts are missing" : "There are too many counts") +
                ": the bins add up to " + std::to_string(sum) + ", not " + std::to_string(c_.n) + ".");
    }

    void try_other_shapes(const Case& c) {
        Case other = c;
        other.offset = 0;
        if (c.offset != 0 && right(other)) say("The result is right if the input is at an aligned address.");

        std::string right_blocks, wrong_blocks;
        other = c;
        for (const unsigned int block : {1u, 32u, 33u, 64u, 96u, 128u, 256u, 512u, 1000u, 1024u}) {
            other.shape.block = block;
            if (!variant_.refusal(other.shape).empty() || block == c.shape.block) continue;
            std::string& blocks = right(other) ? right_blocks : wrong_blocks;
            blocks += (blocks.empty() ? "" : ", ") + std::to_string(block);
        }
        if (said_.empty() && right_blocks == "1")
            say("The result is right with one thread per block, and wrong with more.");
        else if (!right_blocks.empty() && (said_.empty() || c.shape.block != 0))
            say("The result depends on the block size: it is right for blocks of " + right_blocks +
                " threads" + (wrong_blocks.empty() ? "." : ", but wrong for " + wrong_blocks + "."));

        other = c;
        other.shape.grid = 1;
        if (right(other))
            return say(
                variant_.on_cpu
                    ? "The result is right with a single thread. With more, their parts of the input overlap "
                      "or leave gaps, or the threads use the same memory at the same time."
                    : "The result is right with a grid of one block. With more, their parts of the input "
                      "overlap or leave gaps, they use the same memory at the same time, or a block leaves "
                      "to others what it must do itself.",
                true);
        other.shape.grid = static_cast<unsigned int>(c.n / 32 + 1);
        if (left_out_ && !repeated_ && right(other))
            say("The result is right with more blocks: each thread must continue until all elements are "
                "used.");
    }

    void try_other_sizes() {
        Case other = c_;
        other.n = (c_.n + 1023) / 1024 * 1024;
        if (other.n != c_.n && right(other))
            say("The result is right for n = " + std::to_string(other.n) +
                ": look at the elements that are left over at the end.");
        other = c_;
        other.input = Problem::inputs()[0].name;
        if (Problem::kResults == 1 && said_.empty() && other.input != c_.input && right(other))
            look_at_values();
    }

    /// Recognizes a sum that is wrong only for negative or for large numbers.
    void look_at_values() {
        const auto is_right_for = [this](Element value) {
            const auto answer = answer_to(std::vector<Element>(c_.n, value));
            return answer && is_right(*answer);
        };
        if (!is_right_for(static_cast<Element>(-3)))
            say("The sum is right for small positive numbers, but wrong for negative ones.");
        else if (!is_right_for(static_cast<Element>(100003)))
            say("The sum is right for small numbers, but wrong for large ones, as if an intermediate result "
                "had fewer than 64 bits.");
        else if (!is_right_for(static_cast<Element>(94'906'267)))  // the least whose square a double rounds
            say("The sum is right for numbers such as 100003, but wrong for 94906267, whose square needs 54 "
                "bits, as if an intermediate result were a floating-point number, which is rounded.");
    }

    static constexpr std::size_t kBytes = 256;

    const Variant<Problem>& variant_;
    const Case c_;
    const bool later_call_;                     ///< a call after the first one failed
    const bool says_cause_;                     ///< the failure names its cause, as on the simulator
    bool left_out_ = false, repeated_ = false;  ///< single elements were left out or repeated
    std::vector<Sentence> said_;
};
