/// @file
/// @brief Two columns of numbers from a CSV file.
#pragma once

#include <csv.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../common/bench/command_line.hpp"
#include "../../../common/bench/visible.hpp"

/// Two columns, of the same length.
template <typename T>
struct Pairs {
    std::string first_name, second_name;
    std::vector<T> first, second;
};

/// Reads a finite decimal number, and nothing else. @return Whether the text is one.
inline bool read_number(const std::string& text, double& value) {
    if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() && std::isfinite(value);
}

namespace pairs_detail {

using Fields = std::vector<std::string>;
constexpr std::size_t kMostColumns = 1 << 16;  // a line of commas needs 32 times its size in memory

/// A text for a message or a label: not too long, and `visible`.
inline std::string printable(const std::string& text) {
    return visible(text.size() > 60 ? text.substr(0, 57) + "..." : text);
}

/// @brief Calls `work(fields, line)` for each row that is not empty; `line` is the number of its last line.
/// @throws BadOption for quotation marks that RFC 4180 does not allow, and for too many columns.
inline void for_each_row(const std::string& file, std::string_view text,
                         const std::function<void(const Fields&, std::size_t)>& work) {
    csv_parser parser;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    const std::unique_ptr<csv_parser, void (*)(csv_parser*)> release(&parser, csv_free);
    struct Row {
        Fields fields;
        bool ended = false;
    } row;
    const auto end_field = [](void* field, std::size_t size, void* self) {
        static_cast<Row*>(self)->fields.emplace_back(static_cast<const char*>(field), size);
    };
    const auto end_row = [](int, void* self) { static_cast<Row*>(self)->ended = true; };
    std::size_t line = 1;
    const auto refuse = [&](const std::string& what) {
        throw BadOption(file + ", line " + std::to_string(line) + ": " + what);
    };
    const auto hand_on = [&] {
        if (row.fields.size() > kMostColumns)
            refuse("there are more than " + std::to_string(kMostColumns) + " columns");
        if (row.ended) work(row.fields, line);
        if (row.ended) row = {};
    };
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // how some programs mark a file as UTF-8
    char before = 0;
    for (const char c : text) {  // one by one, to know the line of an error
        line += before == '\n' || (before == '\r' && c != '\n');
        before = c;
        if (csv_parse(&parser, &c, 1, end_field, end_row, &row) != 1)
            refuse("a quotation mark is in the wrong place");
        hand_on();
    }
    if (csv_fini(&parser, end_field, end_row, &row) != 0) refuse("the file ends inside quotation marks");
    hand_on();
}

/// @brief Finds the two columns that are requested.
/// @param[in] wanted Two names with a comma between them; empty for the first two columns.
/// @throws BadOption if the first line does not name the columns, or does not name each of the two once.
inline std::pair<std::size_t, std::size_t> find_columns(const std::string& file, const Fields& header,
                                                        const std::string& wanted) {
    for (std::size_t k = 0; k < header.size(); ++k) {
        char* end = nullptr;
        std::strtod(header[k].c_str(), &end);
        if (*end == 0)  // the name is empty or a number, including NaN
            throw BadOption(file + ", line 1, column " + std::to_string(k + 1) + ": '" +
                            printable(header[k]) +
                            "' is not a column name; the first line must name every column");
    }
    if (header.size() < 2) throw BadOption(file + ", line 1: pairs need two columns, but there is only one");
    if (wanted.empty()) return {0, 1};
    const auto find = [&](const std::string& name) {
        const auto found = std::find(header.begin(), header.end(), name);
        if (found == header.end())
            throw BadOption("--columns: " + file + " has no column '" + printable(name) + "'");
        if (std::find(found + 1, header.end(), name) != header.end())
            throw BadOption("--columns: " + file + " has several columns '" + printable(name) + "'");
        return static_cast<std::size_t>(found - header.begin());
    };
    const std::size_t comma = wanted.find(',');
    return {find(wanted.substr(0, comma)), find(wanted.substr(comma + 1))};
}

}  // namespace pairs_detail

/// @brief Reads two columns of a CSV file (RFC 4180): a header, then numbers in these columns.
/// @param[in] file    The file's name in messages.
/// @param[in] columns The value of `--columns`: two names with a comma between them, or empty.
/// @throws BadOption with file, line and column for anything that is missing or not a finite number.
inline Pairs<double> parse_pairs(const std::string& file, std::string_view text, const std::string& columns) {
    using namespace pairs_detail;
    Pairs<double> pairs;
    Fields header;
    std::pair<std::size_t, std::size_t> wanted;
    for_each_row(file, text, [&](const Fields& row, std::size_t line) {
        if (header.empty()) {
            header = row;
            wanted = find_columns(file, header, columns);
            return;
        }
        const std::string place = file + ", line " + std::to_string(line);
        if (row.size() != header.size())
            throw BadOption(place + ": the first line names " + std::to_string(header.size()) +
                            " columns, but this one has " + std::to_string(row.size()));
        const auto number = [&](std::size_t k) {
            double value = 0;
            if (!read_number(row[k], value))
                throw BadOption(place + ", column " + std::to_string(k + 1) + " (" + printable(header[k]) +
                                "): " +
                                (row[k].empty() ? "the value is missing"
                                                : "'" + printable(row[k]) + "' is not a finite number"));
            return value;
        };
        pairs.first.push_back(number(wanted.first));
        pairs.second.push_back(number(wanted.second));
    });
    if (header.empty()) throw BadOption(file + ": the file is empty");
    pairs.first_name = printable(header[wanted.first]);
    pairs.second_name = printable(header[wanted.second]);
    return pairs;
}
