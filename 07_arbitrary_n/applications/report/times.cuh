/// @file
/// @brief The times of a run's parts, printed and written as rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "../../../common/bench/csv.cuh"
#include "../../../common/bench/rounds.cuh"
#include "../../../common/bench/row.hpp"

/// How long a part took in one round.
struct Time {
    std::string part;     ///< in parentheses if it is no result but a bound: "(copying alone)"
    std::uint64_t bytes;  ///< how many the part processed; 0 for a part without a throughput
    double seconds;
};

/// The name of a whole run.
constexpr const char* kEverything = "everything";

/// @brief A row per part, with the median of its rounds.
///
/// The row of the whole run also gets its share of the slowest bound's throughput, if there are bounds.
/// @param[in] model The values that all rows share.
/// @param[in] element_bytes The size of the problem's elements.
inline std::vector<Row> rows_of(const Row& model, std::size_t element_bytes, const std::vector<Time>& times) {
    std::vector<Row> rows;
    double bound = INFINITY;
    for (const Time& time : times) {
        if (std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.variant == time.part; }))
            continue;
        std::vector<double> samples;
        for (const Time& other : times)
            if (other.part == time.part) samples.push_back(other.seconds);
        Row& row = rows.emplace_back(model);
        row.variant = time.part;
        row.bytes = time.bytes;
        row.n = time.bytes / element_bytes;
        row.timing = summarize(samples);
        if (row.bytes > 0 && !row.simulated)  // simulated times mean nothing
            row.gigabytes_per_second = static_cast<double>(row.bytes) / row.timing.median * 1e-9;
        if (row.variant.front() == '(') bound = std::min(bound, row.gigabytes_per_second);
    }
    if (std::isfinite(bound)) rows.front().of_ceiling = rows.front().gigabytes_per_second / bound;
    return rows;
}

/// Prints a line per row: the median time, the throughput, and the share of the slowest bound's.
inline void print_times(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        std::printf("  %-18s %s", row.variant.c_str(), format_time(row).c_str());
        if (std::isfinite(row.gigabytes_per_second))
            std::printf(", %s GB/s", format_ratio(row.gigabytes_per_second).c_str());
        if (std::isfinite(row.of_ceiling))
            std::printf(", %s %% of the slowest part", format_ratio(row.of_ceiling * 100).c_str());
        std::printf("\n");
    }
}
