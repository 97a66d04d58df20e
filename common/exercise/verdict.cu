/// @file
/// @brief Checks a variant that is linked to this program, such as a student's, and gives the verdict.
///
/// `exercise_03.2_plain [NAME [N INPUT GRID BLOCK]]`; without a name, the first variant; with N, in this case
/// only, where a grid or block of 0 is the variant's own choice. Exit status: 0 if correct, 1 if wrong, 3
/// without a device. COURSE_VERDICT is the file descriptor to which the program writes lines of JSON: each
/// case before it runs, and at the end the verdict, with a token that it reads from standard input. Without
/// COURSE_VERDICT, the verdict goes to standard output. COURSE_SEED changes the random inputs. Code for the
/// CPU is checked without the long input, which takes seconds, if COURSE_LONG_INPUT is 0, and with it alone
/// if 1. tools/exercises/verdict.py reads and explains the verdict.
///
/// A grader's program has the chapter's variant instead of the student's, and its calls are questions to the
/// student's process at the other end of COURSE_SOCKET (asking.cuh). COURSE_SLOW says that the student's code
/// does not run at full speed. Exit status 4 or 5: that process has ended, or its answer is invalid.
#ifndef __wasm__
#include <signal.h>
#include <time.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../checks/far_elements.cuh"
#include "../checks/long_input.cuh"
#include "../checks/setting.hpp"
#include "../problem/histogram.hpp"
#include "../problem/sum_of_squares.cuh"
#include "diagnosis.cuh"
#if !defined(__CUDACC__) && !defined(__wasm__)
#include "asking.cuh"
#include "other_threads.hpp"
#endif

/// Called by code that is compiled for the lens or for interruptions at accesses; null without such code.
extern "C" [[gnu::weak]] void __tsan_init();

namespace {

/// The lens needs few elements, few threads and one call to find a race, and far more time for each than the
/// checks.
bool is_too_large_for_lens(const Case& c) {
    return c.n > 1 << 16 || static_cast<std::size_t>(c.shape.grid) * c.shape.block > 1 << 14;
}

constexpr long kDiagnosisLimit = 10;  ///< a multiple, as of CaseLimit

/// More elements than a float counts, for comparison with the long input, which needs 32 times as long.
constexpr std::size_t kFewer = (std::size_t{1} << 27) + 5;

/// A case in words, without its default values.
std::string words_of(const Case& c) {
    std::string words = "n = " + std::to_string(c.n);
    if (!c.input.empty()) words += ", input " + c.input;
    if (c.offset != 0)
        words += ", " + std::to_string(c.offset) + (c.offset == 1 ? " element" : " elements") +
                 " past an aligned address";
    if (c.shape.grid != 0) words += ", a grid of " + std::to_string(c.shape.grid);
    if (c.shape.block != 0) words += ", blocks of " + std::to_string(c.shape.block);
    return words;
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

/// Writes a JSON object in one line to COURSE_VERDICT, or to standard output. `fill` adds its members.
template <typename Fill>
void write_line(const Fill& fill) {
    std::ostringstream text;
    Json json(text);
    fill(json);
    json.end();
    text << "\n";
    std::fflush(stdout);
    const char* const descriptor = std::getenv("COURSE_VERDICT");
    const std::string line = text.str();
    if (write(descriptor != nullptr ? std::atoi(descriptor) : STDOUT_FILENO, line.data(), line.size()) !=
        static_cast<ssize_t>(line.size()))
        std::perror("the verdict could not be written");
}

void write_case(Json& json, const Case& c) {
    json.add("n", c.n, "input", c.input, "offset", c.offset, "grid", c.shape.grid, "block", c.shape.block)
        .add("words", words_of(c));
}

/// @brief Limits the time of a case, in which right code takes milliseconds per 2^20 elements.
///
/// In a browser, the simulator does so. Elsewhere, the limit is CPU time of this process, all threads
/// together, after which SIGXCPU ends it.
class CaseLimit {
 public:
    /// @param[in] multiple 1 for the time after which a simulated kernel counts as stuck; 0 for no limit.
    explicit CaseLimit([[maybe_unused]] long multiple) {
#ifdef __wasm__
        seconds_ = number("CUDA_SIM_SECONDS");
#else
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGXCPU;
        itimerspec end{};
        end.it_value.tv_sec = multiple * number("CUDA_SIM_TIMEOUT");
        end.it_interval.tv_nsec = 200'000'000;  // simulated kernels ignore the first three signals
        if (end.it_value.tv_sec == 0 || timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer_) != 0) return;
        if (timer_settime(timer_, 0, &end, nullptr) == 0) seconds_ = end.it_value.tv_sec;
#endif
    }
    ~CaseLimit() {
#ifndef __wasm__
        if (seconds_ > 0) timer_delete(timer_);
#endif
    }
    CaseLimit(const CaseLimit&) = delete;
    CaseLimit& operator=(const CaseLimit&) = delete;

    /// 0 if there is no limit.
    long seconds() const { return seconds_; }

 private:
    static long number(const char* setting) {
        const char* const text = std::getenv(setting);
        return text != nullptr ? std::atol(text) : 0;
    }

    long seconds_ = 0;
#ifndef __wasm__
    timer_t timer_{};
#endif
};

/// Writes which case runs next, after how many seconds it is stopped, and where the code's own output begins:
/// the tools need it if the code prints in this case, crashes or does not end.
void begin_case(const std::optional<Case>& c, long seconds = 0) {
    if (std::getenv("COURSE_VERDICT") == nullptr) return;
    std::fflush(stdout);
    write_line([&](Json& json) {
        static int right = -1;  // how many cases were right, once this one is reached
        ++right;
        if (c) json.object("case", [&](Json& its) { write_case(its, *c); });
        json.add("right", right, "cpu_seconds", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
        if (seconds > 0) json.add("seconds", seconds);
        json.add("output", static_cast<long long>(lseek(STDOUT_FILENO, 0, SEEK_CUR)));
    });
}

/// @brief Writes the verdict with the token that is on standard input.
///
/// The reader trusts only a line with this token. It is read after the variant's last call, so the variant
/// can't know it.
template <typename Fill>
void write_verdict(const Fill& fill) {
    std::string token;
    if (std::getenv("COURSE_VERDICT") != nullptr) {
#if !defined(__CUDACC__) && !defined(__wasm__)  // CUDA has threads
        if (socket_descriptor() < 0) require_no_other_threads();
#endif
        for (int c; (c = std::fgetc(stdin)) != EOF && c != '\n';) token += static_cast<char>(c);
    }
    write_line([&](Json& json) {
        json.add("token", token);
        fill(json);
    });
}

void write_failure(Json& json, const std::string& name, const Failure& failure) {
    failure.write(json);
    json.add("what", failure.kind == Failure::Kind::launch ? "The code " + failure.what : failure.what)
        .add("message", failure.text(name));
    if (failure.kind != Failure::Kind::launch)
        json.object("case", [&](Json& its) { write_case(its, failure.c); });
}

int report(const std::string& name, const Failure& failure, const std::vector<Sentence>& sentences) {
    write_verdict([&](Json& json) {
        write_failure(json, name, failure);
        json.list("sentences", sentences, [](Json& one, const Sentence& sentence) {
            one.add("text", sentence.text, "of_race", sentence.of_race, "is_idea", sentence.is_idea);
        });
    });
    return 1;
}

/// Whether code for the CPU runs at full speed, as checks of a long input require.
bool is_fast() {
    if (std::getenv("COURSE_SLOW") != nullptr) return false;
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    return false;  // this program may be instrumented; there is no way to tell
#else
    return __tsan_init == nullptr;  // otherwise, each of the variant's accesses is a call
#endif
}

/// What is known about a failure for many elements: whether the same check fails for `n`, which is below
/// 2^31.
Sentence about_fewer(std::size_t n, bool is_right) {
    return {"The same check with n = " + std::to_string(n) +
            (is_right ? " passes: with so many more elements, indices and counts need 64 bits."
                      : " fails as well, so the cause is not that indices or counts need 64 bits.")};
}

/// Checks code for the CPU with more elements than 32 bits can count.
template <typename Problem>
int check_with_long_input(const Variant<Problem>& variant) {
    if (!check_detail::kHasFarMemory || !is_fast()) return 0;
    begin_case(Case{kLongInput});
    const auto wrong = failure_of_long_input(variant);
    if (!wrong) return 0;
    return report(variant.name, *wrong, {about_fewer(kFewer, !failure_of_long_input(variant, kFewer))});
}

/// @param[in] what The meaning of a wrong result; empty if a diagnosis is to find it.
template <typename Problem>
int check(const Variant<Problem>& variant, const std::string& what) {
    if (is_set("COURSE_LONG_INPUT", "1")) return check_with_long_input(variant);
    const bool under_lens = std::getenv("LENS_OUTPUT") != nullptr;
    for (Case c : cases_of(variant)) {
        if (under_lens && is_too_large_for_lens(c)) continue;
        if (under_lens || !what.empty()) c.calls = 1;  // an earlier check has repeated the calls
        const auto wrong = [&] {
            const CaseLimit limit(under_lens ? 0 : 1 + static_cast<long>(c.n >> 20));
            begin_case(c, limit.seconds());
            return failure_in(variant, c);
        }();
        if (!wrong) continue;
        if (under_lens)
            return report(variant.name, *wrong, {});  // a diagnosis runs the kernel hundreds of times
        if (!what.empty()) return report(variant.name, *wrong, {{what, false, true}});
        // The diagnosis calls the code in other cases, in which it may crash or never end.
        if (std::getenv("COURSE_VERDICT") != nullptr)
            write_line([&](Json& json) { write_failure(json, variant.name, *wrong); });
        const CaseLimit limit(kDiagnosisLimit);
        return report(variant.name, *wrong, Diagnosis<Problem>(variant, *wrong).sentences());
    }
    begin_case({});
    if (!what.empty()) return 0;
    if (variant.wrong_because == nullptr)
        if (const auto wrong = failure_of_launch(variant))
            return report(variant.name, *wrong,
                          {{"CUDA reports a rejected launch only through cudaGetLastError(): check its "
                            "result after the launch."}});
    if (variant.on_cpu) return is_set("COURSE_LONG_INPUT", "0") ? 0 : check_with_long_input(variant);
    if (is_simulated() && !under_lens) {
        if (const auto many = case_of_many_blocks(variant)) {
            const Case c{many->n, Problem::inputs()[0].name, 0, many->shape, 1};
            begin_case(c);
            if (const auto wrong = failure_in(variant, c))
                return report(variant.name, *wrong,
                              {{"All cases with fewer blocks are right: look for a limit on the number of "
                                "blocks, and for an index that is a float or has too few bits."}});
        }
        const auto cases =
            suitable_far_case(variant);  // the lens would report what skipped blocks have not written
        if (!cases) return 0;
        const auto& [far, fewer] = *cases;
        begin_case(Case{far.n});
        if (const auto wrong = failure_far_out(variant, far))
            return report(variant.name, *wrong, {about_fewer(fewer.n, true)});
    }
    return 0;
}

/// @return The exit status; nothing if no variant has this name.
/// @param[in] only The case to check, instead of all.
template <typename Problem>
std::optional<int> check(const std::string& name, const std::optional<Case>& only) {
    const auto is_meant = [&](const Variant<Problem>& variant) {
        return name.empty() || name == variant.name;
    };
    const Variant<Problem>* variant = nullptr;
    for (const Variant<Problem>& added : added_variants<Problem>)
        if (variant == nullptr && is_meant(added)) variant = &added;
    if (variant == nullptr) return std::nullopt;
    if (only) {
        if (const auto wrong = failure_in(*variant, *only)) return report(variant->name, *wrong, {});
    } else if (check(*variant, "") != 0) {
        return 1;
    }
    for (const Variant<Problem>& more : more_checks<Problem>)
        if (!only && is_meant(more) && check(more, more.idea) != 0) return 1;
    write_verdict([](Json& json) { json.add("kind", "right"); });
    return 0;
}

unsigned int unsigned_of(const char* text) { return static_cast<unsigned int>(std::stoul(text)); }

}  // namespace

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "";
    try {
#if !defined(__CUDACC__) && !defined(__wasm__)
        asking::begin<Histogram>();
        asking::begin<SumOfSquares>();
#endif
        std::optional<Case> only;
        if (argc > 5)
            only = {std::stoul(argv[2]), argv[3], 0, {unsigned_of(argv[4]), unsigned_of(argv[5])}, 1};
        if (const auto status = check<Histogram>(name, only)) return *status;
        if (const auto status = check<SumOfSquares>(name, only)) return *status;
        std::fprintf(stderr, "error: no variant '%s'\n", name.c_str());
        return 2;
    } catch (const NoDevice& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        write_verdict(
            [&](Json& json) { json.add("kind", "error", "what", error.what(), "message", error.what()); });
        return 1;
    }
}
