/// @file
/// @brief Holds the one variant that is linked to it against what it claims: prints the first failure, or
/// nothing.
///
/// Exit status: 0 if it is right, 1 if not, 3 if there is no device.
#include <cstdio>
#include <string>

#include "../checks/far_elements.cuh"
#include "../problem/histogram.hpp"
#include "../problem/sum_of_squares.cuh"
#include "diagnosis.cuh"

namespace {

/// A variant that is meant to be wrong must be right without contention, and wrong with it.
template <typename Problem>
std::optional<Failure> first_surprise(const Variant<Problem>& variant) {
    for (const std::size_t n : {0, 1, 31, 32, 33, 255, 256}) {
        const Case c{n, "sorted", 0, {}, 1};  // all bytes differ
        if (const auto wrong = check_case(variant, c)) return Failure{c, without_case(variant, c, *wrong)};
    }
    return std::nullopt;
}

int report(const std::string& wrong, const std::vector<std::string>& findings = {}) {
    std::printf("%s\n", wrong.c_str());
    for (std::size_t i = 0; i < findings.size() && i < 3; ++i) std::printf("  %s\n", findings[i].c_str());
    return 1;
}

template <typename Problem>
int report(const Failure& failure, const Variant<Problem>& variant) {
    return report("Wrong for " + words_of(failure.c) + ": " + failure.words, diagnose(variant, failure));
}

template <typename Problem>
int check(const Variant<Problem>& variant) {
    if (variant.wrong_because != nullptr) {
        if (const auto failure = first_surprise(variant)) return report(*failure, variant);
        return 0;
    }
    if (const auto failure = first_failure(variant)) return report(*failure, variant);
    if (const auto wrong = check_launch_error(variant)) return report(*wrong);
    if (init_cuda().simulated && !variant.on_cpu)
        if (const auto wrong = check_far_elements(variant))
            return report(*wrong, {"An index or a count of 32 bits is too short for so many elements."});
    return 0;
}

}  // namespace

int main() {
    try {
        for (const auto& variant : added_variants<Histogram>()) return check(variant);
        for (const auto& variant : added_variants<SumOfSquares>()) return check(variant);
    } catch (const NoDevice& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 1;
}
