/// @file
/// @brief Checks the claims of a variant that is linked to it: prints the first failure, or nothing.
///
/// `check [NAME]`; without a name, the first variant. With COURSE_PLAIN_WORDS set, it prints the message of a
/// chapter's checks, without a diagnosis. COURSE_SEED changes the random inputs, and makes the program print
/// each case before it runs, and copy a line of standard input before the verdict. Exit status: 0 if correct,
/// 1 if wrong, 3 without a device.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../checks/far_elements.cuh"
#include "../checks/long_input.cuh"
#include "../problem/histogram.hpp"
#include "../problem/sum_of_squares.cuh"
#include "diagnosis.cuh"

/// Called by code whose accesses are interrupted or seen by the lens; without such code, there is none.
extern "C" [[gnu::weak]] void __tsan_init();

namespace {

/// The lens needs few elements and one call to find a race, and far more time for each than the checks.
constexpr std::size_t kMostUnderLens = 1 << 16;

/// A case in words, without its default values.
std::string words_of(const Case& c) {
    std::string words = "n = " + std::to_string(c.n) + ", input " + c.input;
    if (c.offset != 0)
        words += ", " + std::to_string(c.offset) + (c.offset == 1 ? " element" : " elements") +
                 " past an aligned address";
    if (c.shape.grid != 0) words += ", a grid of " + std::to_string(c.shape.grid);
    if (c.shape.block != 0) words += ", blocks of " + std::to_string(c.shape.block);
    return words;
}

/// A check's message without the variant's name, with which it begins.
template <typename Problem>
std::string without_name(const Variant<Problem>& variant, const std::string& wrong) {
    return wrong.substr(std::string(variant.name).size());
}

/// The cases in which a variant must be correct: those without contention if it is wrong on purpose.
template <typename Problem>
std::vector<Case> cases_of(const Variant<Problem>& variant) {
    if (variant.wrong_because == nullptr) return check_detail::cases_of(variant);
    std::vector<Case> cases;
    for (const std::size_t n : {0, 1, 31, 32, 33, 255, 256})
        for (const unsigned int block : {0, 32}) cases.push_back({n, "sorted", 0, {.block = block}, 1});
    return cases;
}

/// @return How many threads this process has.
[[maybe_unused]] std::ptrdiff_t thread_count() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Ends the process if the variant has left threads running, which could read a grader's line.
[[maybe_unused]] void require_no_other_threads() {
    using namespace std::chrono_literals;
    for (int tries = 0; thread_count() > 1; ++tries) {  // a thread that was joined is listed for a moment
        if (tries == 1000) {
            std::fprintf(stderr, "simulator: a thread still runs after the function that started it\n");
            std::_Exit(1);
        }
        std::this_thread::sleep_for(1ms);
    }
}

/// @brief Prints the line that a grader has written to standard input.
///
/// The grader trusts only what follows this line. It is read after the variant's last call, so the variant
/// can't know it.
/// @return Whether there is a grader.
bool begin_verdict() {
    if (std::getenv("COURSE_SEED") == nullptr) return false;
#ifndef __CUDACC__  // CUDA has threads
    require_no_other_threads();
#endif
    char line[80];
    if (std::fgets(line, sizeof(line), stdin) == nullptr) return false;
    std::printf("\n%s", line);
    return true;
}

/// Prints which case runs next: the tools need it if the code prints in this case, or crashes.
void begin_case(const std::string& words) {
    if (std::getenv("COURSE_SEED") == nullptr) return;
    std::printf("\ncase %s\n", words.c_str());
    std::fflush(stdout);
}

int report(const std::string& wrong, const std::vector<std::string>& sentences) {
    begin_verdict();
    std::printf("%s\n", wrong.c_str());
    for (const std::string& sentence : sentences) std::printf("  %s\n", sentence.c_str());
    return 1;
}

/// Whether code for the CPU runs at full speed, which a long input needs.
bool is_fast() {
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    return false;  // or it can't be known
#else
    return __tsan_init == nullptr;  // otherwise, each of the variant's accesses is a call
#endif
}

/// @param[in] what The meaning of a wrong result; empty if it is to be found out.
template <typename Problem>
int check(const Variant<Problem>& variant, const std::string& what) {
    const bool under_lens = std::getenv("LENS_OUTPUT") != nullptr;
    for (Case c : cases_of(variant)) {
        if (under_lens && c.n > kMostUnderLens) continue;
        if (under_lens) c.calls = 1;
        begin_case(words_of(c));
        const auto wrong = check_case(variant, c);
        if (!wrong) continue;
        if (std::getenv("COURSE_PLAIN_WORDS") != nullptr) return report(*wrong, {});
        const std::size_t case_size = (", " + check_detail::describe(c) + ": ").size();
        const Failure failure{c, without_name(variant, *wrong).substr(case_size)};
        return report("Wrong for " + words_of(c) + ": " + failure.words,
                      !what.empty() ? std::vector{what} : Diagnosis<Problem>(variant, failure).sentences());
    }
    begin_case("");
    if (!what.empty()) return 0;
    if (variant.wrong_because == nullptr)
        if (const auto wrong = check_launch_error(variant))
            return report(
                "It" + without_name(variant, *wrong),
                {"CUDA reports a rejected launch by cudaGetLastError() only: check it after the launch."});
    std::optional<std::string> wrong;
    if (variant.on_cpu && is_fast()) {
        begin_case("n = " + std::to_string(kLongInput));
        wrong = check_long_input(variant);
    } else if (!variant.on_cpu && init_cuda().simulated && !under_lens) {
        wrong = check_far_elements(variant);  // the lens would report what other blocks have not written
    }
    if (wrong)
        return report("Wrong for" + without_name(variant, *wrong).substr(1),
                      {"So many elements need indices and counts of 64 bits."});
    return 0;
}

/// @return The exit status; nothing if no variant has this name.
template <typename Problem>
std::optional<int> check(const std::string& name) {
    const auto is_meant = [&](const Variant<Problem>& variant) {
        return name.empty() || name == variant.name;
    };
    const auto& added = added_variants<Problem>();
    const auto variant = std::find_if(added.begin(), added.end(), is_meant);
    if (variant == added.end()) return std::nullopt;
    if (check(*variant, "") != 0) return 1;
    for (const Variant<Problem>& more : more_checks<Problem>())
        if (is_meant(more) && check(more, more.idea) != 0) return 1;
    if (begin_verdict()) std::printf("right\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "";
    try {
        if (const auto status = check<Histogram>(name)) return *status;
        if (const auto status = check<SumOfSquares>(name)) return *status;
        std::fprintf(stderr, "error: no variant '%s'\n", name.c_str());
        return 2;
    } catch (const NoDevice& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        return report(error.what(), {});
    }
}
