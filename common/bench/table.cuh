/// @file
/// @brief Results as a table for people, and as CSV and JSON for programs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "measure.cuh"
#include "provenance.cuh"

/// One line of results. A ratio that makes no sense for the row is NaN: "-" in the table, empty in CSV.
struct Row {
    std::string chapter, variant, device, input;
    bool simulated = false;
    std::size_t n = 0;                 ///< elements
    std::size_t bytes = 0;             ///< of input, that a variant must read
    unsigned int grid = 0, block = 0;  ///< as asked for; 0: the variant's choice
    double copy_seconds = NAN;         ///< the input's way to the device; in no other time
    Timing timing;
    double gigabytes_per_second = NAN;  ///< 10^9 bytes of input a second
    double of_ceiling = NAN;            ///< fraction of the read ceiling in the same run
    double times_cpu_sequential = NAN, times_cpu_all_cores = NAN, times_cub = NAN;
    std::string verdict;
};

/// @return A time with a unit that leaves one to three digits before the point: "12.3 us".
inline std::string format_seconds(double seconds) {
    const char* const units[] = {"s", "ms", "us", "ns"};
    int unit = 0;
    while (unit < 3 && seconds < 0.9995) {
        seconds *= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.*f %s",
                  seconds < 9.995   ? 2
                  : seconds < 99.95 ? 1
                                    : 0,
                  seconds, units[unit]);
    return text;
}

/// @return A number with three digits that count, or "-" for NaN.
inline std::string format_ratio(double ratio) {
    if (!std::isfinite(ratio)) return "-";
    char text[32];
    std::snprintf(text, sizeof(text), "%.*f", ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, ratio);
    return text;
}

/// Prints the table's two lines of heading.
inline void print_heading() {
    std::printf("%-3s %-22s %11s %7s %8s %8s %9s %7s  %s\n", "", "", "", "", "% of", "x one", "x all", "",
                "");
    std::printf("%-3s %-22s %11s %7s %8s %8s %9s %7s  %s\n", "ch", "variant", "time", "GB/s", "ceiling",
                "CPU core", "CPU cores", "x CUB", "verdict");
}

/// @return A row's time, marked if it is simulated.
inline std::string format_time(const Row& row) {
    return format_seconds(row.timing.median) + (row.simulated ? " sim" : "");
}

/// Prints a row: time, GB/s, % of the ceiling, times the CPU's and CUB's speed, verdict.
inline void print_row(const Row& row) {
    const std::string time = format_time(row);
    std::printf("%-3s %-22s %11s %7s %8s %8s %9s %7s  %s\n", row.chapter.substr(0, 2).c_str(),
                row.variant.c_str(), time.c_str(), format_ratio(row.gigabytes_per_second).c_str(),
                format_ratio(row.of_ceiling * 100).c_str(), format_ratio(row.times_cpu_sequential).c_str(),
                format_ratio(row.times_cpu_all_cores).c_str(), format_ratio(row.times_cub).c_str(),
                row.verdict.c_str());
}

namespace table_detail {

/// A row's values by name; texts and numbers apart, since JSON quotes only texts.
struct Field {
    const char* name;
    std::string value;
    bool is_text;
};

inline std::string number(double value) {
    if (!std::isfinite(value)) return "";
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    return text;
}

inline std::vector<Field> fields(const Row& row) {
    const Provenance& from = provenance();
    return {{"chapter", row.chapter, true},
            {"variant", row.variant, true},
            {"device", row.device, true},
            {"simulated", row.simulated ? "true" : "false", false},
            {"input", row.input, true},
            {"n", std::to_string(row.n), false},
            {"bytes", std::to_string(row.bytes), false},
            {"grid", std::to_string(row.grid), false},
            {"block", std::to_string(row.block), false},
            {"copy_s", number(row.copy_seconds), false},
            {"samples", std::to_string(row.timing.samples), false},
            {"median_s", number(row.timing.median), false},
            {"p10_s", number(row.timing.p10), false},
            {"p90_s", number(row.timing.p90), false},
            {"gb_per_s", number(row.gigabytes_per_second), false},
            {"of_ceiling", number(row.of_ceiling), false},
            {"times_cpu_sequential", number(row.times_cpu_sequential), false},
            {"times_cpu_all_cores", number(row.times_cpu_all_cores), false},
            {"times_cub", number(row.times_cub), false},
            {"verdict", row.verdict, true},
            {"driver", from.driver, true},
            {"cuda_driver", from.cuda_driver, true},
            {"cuda_runtime", from.cuda_runtime, true},
            {"host_cpus", std::to_string(from.host_cpus), false},
            {"commit", from.commit, true},
            {"date", from.date, true}};
}

/// A text in quotes, with what the format wants before a quote: `"` for CSV, `\` for JSON.
inline std::string quoted(const std::string& text, bool json) {
    std::string result = "\"";
    for (const char c : text) {
        if (json && static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned int>(c));
            result += escaped;
            continue;
        }
        if (c == '"') result += json ? '\\' : '"';
        if (json && c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

}  // namespace table_detail

/// @brief Adds rows to a CSV file; a new or empty file gets a heading first.
/// @throws std::runtime_error if the file can't be written.
inline void append_csv(const std::string& path, const std::vector<Row>& rows) {
    std::ofstream file(path, std::ios::app);
    const bool empty = file && file.tellp() == std::ofstream::pos_type(0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto fields = table_detail::fields(rows[r]);
        std::string heading, line;
        for (const auto& field : fields) {
            heading += (heading.empty() ? "" : ",") + std::string(field.name);
            line += (line.empty() ? "" : ",") +
                    (field.is_text ? table_detail::quoted(field.value, false) : field.value);
        }
        if (empty && r == 0) file << heading << "\n";
        file << line << "\n";
    }
    if (!file.flush()) throw std::runtime_error(path + ": the CSV file could not be written");
}

/// @brief Adds rows to a file of JSON objects, one a line; what makes no sense for a row is null.
/// @throws std::runtime_error if the file can't be written.
inline void append_json(const std::string& path, const std::vector<Row>& rows) {
    std::ofstream file(path, std::ios::app);
    for (const Row& row : rows) {
        std::string line;
        for (const auto& field : table_detail::fields(row)) {
            line += line.empty() ? "{" : ", ";
            line += table_detail::quoted(field.name, true) + ": ";
            line += field.is_text         ? table_detail::quoted(field.value, true)
                    : field.value.empty() ? "null"
                                          : field.value;
        }
        file << line << "}\n";
    }
    if (!file.flush()) throw std::runtime_error(path + ": the JSON file could not be written");
}

/// Adds rows to the files that are named; an empty name is none.
inline void write_rows(const std::vector<Row>& rows, const std::string& csv, const std::string& json) {
    if (!csv.empty()) append_csv(csv, rows);
    if (!json.empty()) append_json(json, rows);
}
