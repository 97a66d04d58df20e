/// @file
/// @brief A row of results, and how it is printed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "terminal.hpp"

/// Statistics of a job's samples, in seconds.
struct Timing {
    double median, p10, p90;
    double fastest;
    std::size_t samples;
};

/// The verdict on a result.
struct Verdict {
    /// What a verdict says about the result.
    enum class Kind { right, wrong_on_purpose, wrong };
    Kind kind = Kind::right;  ///< right, wrong, or wrong on purpose
    std::string words{};      ///< what the table and CSV say

    Verdict() = default;
    /// A verdict of a kind, in words.
    Verdict(Kind kind_, std::string words_) : kind(kind_), words(std::move(words_)) {}

    /// Whether the result is wrong and should not be.
    bool is_wrong() const { return kind == Kind::wrong; }
};

/// @return The verdict on a result.
/// @param[in] wrong A description of the error, if there is one.
/// @param[in] right The words for a correct one.
inline Verdict verdict_of(const std::optional<std::string>& wrong, const std::string& right = "ok") {
    if (wrong) return {Verdict::Kind::wrong, "WRONG: " + *wrong};
    return {Verdict::Kind::right, right};
}

/// A row of results. A ratio that does not apply to the row is NaN: "-" in the table, empty in CSV.
struct Row {
    std::string chapter = "", problem = "", variant = "", device = "", input = "";
    bool simulated = false;
    std::size_t n = 0;                 ///< elements
    std::size_t bytes = 0;             ///< the size of the input, which a variant must read
    unsigned int grid = 0, block = 0;  ///< as requested; 0: the variant's choice
    Timing timing = {};
    double gigabytes_per_second = NAN;  ///< 10^9 bytes of input per second
    double of_ceiling = NAN;            ///< fraction of the read ceiling in the same run
    double times_cpu_sequential = NAN, times_cpu_all_cores = NAN, times_cub = NAN;
    Verdict verdict = {};
    std::string cache = "";  ///< the state of the L2 cache before each sample; empty if unknown

    /// @brief The time that tables show and ratios use: the median, or on the CPU the fastest sample.
    ///
    /// Whatever else runs on the host can only lengthen the CPU's times, often those of most samples. A
    /// median would then make every speed-up over the CPU too large.
    double time() const { return device == "CPU" ? timing.fastest : timing.median; }
};

/// @return A number with three significant digits, or "-" for NaN.
inline std::string format_ratio(double ratio) {
    if (!std::isfinite(ratio)) return "-";
    char text[32];
    std::snprintf(text, sizeof(text), "%.*f", ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, ratio);
    return text;
}

/// @return A time with a unit that leaves one to three digits before the point, "12.3 us", or "-" for NaN.
inline std::string format_seconds(double seconds) {
    if (!std::isfinite(seconds)) return "-";
    const char* const units[] = {" s", " ms", " us", " ns"};
    int unit = 0;
    for (; unit < 3 && seconds < 0.9995; ++unit) seconds *= 1000;
    return format_ratio(seconds) + units[unit];
}

/// @return A row's time, marked if it is simulated.
inline std::string format_time(const Row& row) {
    return format_seconds(row.time()) + (row.simulated && row.timing.samples > 0 ? " sim" : "");
}

/// Prints the table's heading, which has two lines.
inline void print_heading() {
    std::printf("%-3s %-22s %11s %7s %8s %8s %9s %7s  %s\n", "", "", "", "", "% of", "x one", "x all", "",
                "");
    std::printf("%-3s %-22s %11s %7s %8s %8s %9s %7s  %s\n", "ch", "variant", "time", "GB/s", "ceiling",
                "CPU core", "CPU cores", "x CUB", "verdict");
}

/// @brief Prints a row: time, GB/s, % of the ceiling, speed-up over the CPU and over CUB, verdict.
///
/// If the row has no room for all of a verdict, the rest continues below.
inline void print_row(const Row& row) {
    constexpr std::size_t kBeforeVerdict = 84;
    const std::string time = format_time(row);
    const std::string& words = row.verdict.words;
    const std::size_t first = words.find_first_of(":,");
    const std::size_t fitting = kBeforeVerdict + words.size() <= kColumns ? words.size()
                                : first == words.npos                     ? 0
                                                                          : first;
    const Look look = row.verdict.is_wrong()                                ? Look::bad
                      : row.verdict.kind == Verdict::Kind::wrong_on_purpose ? Look::warning
                                                                            : Look::good;
    std::printf("%-3s %-22s %11s %7s %8s %8s %9s %7s  %s\n", row.chapter.substr(0, 2).c_str(),
                row.variant.c_str(), time.c_str(), format_ratio(row.gigabytes_per_second).c_str(),
                format_ratio(row.of_ceiling * 100).c_str(), format_ratio(row.times_cpu_sequential).c_str(),
                format_ratio(row.times_cpu_all_cores).c_str(), format_ratio(row.times_cub).c_str(),
                looks(look, words.substr(0, fitting)).c_str());
    if (fitting == words.size()) return;
    const std::string rest = words.substr(words.find_first_not_of(":, ", fitting));
    const std::size_t indent = kBeforeVerdict + rest.size() <= kColumns ? kBeforeVerdict : 4;
    std::printf("%*s%s\n", static_cast<int>(indent), "", wrapped(rest, indent, indent).c_str());
}
