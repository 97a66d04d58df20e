/// @file
/// @brief Rows of results as CSV, with their provenance.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "output_file.hpp"
#include "provenance.cuh"
#include "row.hpp"

namespace csv_detail {

/// A CSV field: in quotation marks, with the quotation marks in the text doubled.
inline std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
}

inline std::string number(double value) {
    if (!std::isfinite(value)) return "";
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    return text;
}

/// A row's columns: their names, and their values as CSV.
inline std::vector<std::pair<const char*, std::string>> columns(const Row& row) {
    const Provenance& from = provenance();
    return {{"chapter", quoted(row.chapter)},
            {"problem", quoted(row.problem)},
            {"variant", quoted(row.variant)},
            {"device", quoted(row.device)},
            {"simulated", row.simulated ? "true" : "false"},
            {"input", quoted(row.input)},
            {"cache", quoted(row.cache)},
            {"n", std::to_string(row.n)},
            {"bytes", std::to_string(row.bytes)},
            {"grid", std::to_string(row.grid)},
            {"block", std::to_string(row.block)},
            {"samples", std::to_string(row.timing.samples)},
            {"median_s", number(row.timing.median)},
            {"p10_s", number(row.timing.p10)},
            {"p90_s", number(row.timing.p90)},
            {"fastest_s", number(row.timing.fastest)},
            {"gb_per_s", number(row.gigabytes_per_second)},
            {"of_ceiling", number(row.of_ceiling)},
            {"times_cpu_sequential", number(row.times_cpu_sequential)},
            {"times_cpu_all_cores", number(row.times_cpu_all_cores)},
            {"times_cub", number(row.times_cub)},
            {"verdict", quoted(row.verdict.words)},
            {"driver", quoted(from.driver)},
            {"cuda_driver", quoted(from.cuda_driver)},
            {"cuda_runtime", quoted(from.cuda_runtime)},
            {"host_cpus", std::to_string(from.host_cpus)},
            {"commit", quoted(from.commit)},
            {"date", quoted(from.date)}};
}

}  // namespace csv_detail

/// @brief Adds rows to a CSV file; a new or empty file gets a heading first.
/// @param[in] path As for `append_to_output`; empty: no file.
/// @param[in] more Further columns, which are the same in all rows: their names, and numbers.
/// @throws std::runtime_error if the file can't be written.
inline void append_csv(const std::string& path, const std::vector<Row>& rows,
                       const std::vector<std::pair<const char*, std::size_t>>& more = {}) {
    if (path.empty()) return;
    std::string heading, lines;
    for (const Row& row : rows) {
        heading.clear();
        std::string line;
        for (const auto& [name, value] : csv_detail::columns(row)) {
            heading += (heading.empty() ? "" : ",") + std::string(name);
            line += (line.empty() ? "" : ",") + value;
        }
        for (const auto& [name, value] : more) {
            heading += "," + std::string(name);
            line += "," + std::to_string(value);
        }
        lines += line + "\n";
    }
    append_to_output(path, heading, lines);
}
