/// @file
/// @brief Two columns of numbers, out of a CSV file.
#pragma once

#include <csv.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../../common/bench/command_line.hpp"

/// Two columns, of the same length.
template <typename T>
struct Pairs {
    std::string first_name, second_name;
    std::vector<T> first, second;
};

/// Which columns to read, and how a file separates them.
struct CsvFormat {
    std::string columns = "1,2";  ///< two, each by its name in the first line or by its number from 1
    char delimiter = ',';
};

namespace csv_detail {

using CsvRow = std::vector<std::string>;

/// A text as a message or a label can have it: in one line, not too long, nothing that steers a terminal.
inline std::string printable(std::string text) {
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    for (char& c : text)
        if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
    return text;
}

/// libcsv's parser, and the row that it is at.
struct CsvParser {
    explicit CsvParser(char delimiter) {
        csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
        csv_set_delim(&parser, static_cast<unsigned char>(delimiter));
    }
    ~CsvParser() { csv_free(&parser); }
    CsvParser(const CsvParser&) = delete;
    CsvParser& operator=(const CsvParser&) = delete;

    static void end_field(void* text, std::size_t size, void* self) {
        static_cast<CsvParser*>(self)->row.emplace_back(static_cast<const char*>(text), size);
    }
    static void end_row(int, void* self) { static_cast<CsvParser*>(self)->row_ended = true; }

    csv_parser parser;
    CsvRow row;
    bool row_ended = false;
};

/// @brief Calls `work(row, line)` for each row that is not empty; `line` is the one that the row ends in.
/// @throws BadOption for quotation marks where RFC 4180 has none.
inline void for_each_row(const std::string& file, const std::vector<unsigned char>& bytes, char delimiter,
                         const std::function<void(const CsvRow&, std::size_t)>& work) {
    CsvParser csv(delimiter);
    std::size_t line = 0;
    const auto hand_on = [&] {
        if (csv.row_ended) work(csv.row, line);
        if (csv.row_ended) csv.row.clear();
        csv.row_ended = false;
    };
    const auto refuse = [&](const char* what) {
        throw BadOption(file + ", line " + std::to_string(line) + ": " + what);
    };
    const char* const text = reinterpret_cast<const char*>(bytes.data());
    const std::string mark = "\xEF\xBB\xBF";  // what some programs begin a file in UTF-8 with
    const bool marked = bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), text);
    std::size_t at = marked ? mark.size() : 0;
    while (at < bytes.size()) {  // by lines, to know which one an error is in
        std::size_t end = at;
        while (end < bytes.size() && text[end] != '\n' && text[end] != '\r') ++end;
        if (end + 1 < bytes.size() && text[end] == '\r' && text[end + 1] == '\n') ++end;
        end = std::min(end + 1, bytes.size());
        ++line;
        if (csv_parse(&csv.parser, text + at, end - at, CsvParser::end_field, CsvParser::end_row, &csv) !=
            end - at)
            refuse("a quotation mark is in the wrong place");
        hand_on();
        at = end;
    }
    if (csv_fini(&csv.parser, CsvParser::end_field, CsvParser::end_row, &csv) != 0)
        refuse("the file ends inside of quotation marks");
    hand_on();
}

/// Reads a finite decimal number, and nothing else. @return Whether it is one.
inline bool read_number(const std::string& text, double& value) {
    if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() && std::isfinite(value);
}

/// Whether a field may name a column: it is no number, not even a bad one.
inline bool is_name(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return !text.empty() && std::string("0123456789+-.").find(text[0]) == std::string::npos &&
           text != "nan" && text != "inf" && text != "infinity";
}

/// The two columns to read: where they are, and what they are called.
struct CsvColumns {
    std::size_t index[2];
    std::string name[2];
    bool in_header = false;  ///< the first row names them

    /// @throws BadOption if the first row shows that they are not there.
    CsvColumns(const std::string& file, const CsvRow& first_row, const std::string& columns) {
        const std::size_t comma = columns.find(',');
        if (comma == std::string::npos || columns.find(',', comma + 1) != std::string::npos)
            throw BadOption("--columns takes two names or numbers, such as x,y or 1,2, not '" + columns +
                            "'");
        const std::string wanted[2] = {columns.substr(0, comma), columns.substr(comma + 1)};
        for (int k = 0; k < 2; ++k) {
            const auto found = std::find(first_row.begin(), first_row.end(), wanted[k]);
            index[k] = static_cast<std::size_t>(found - first_row.begin());
            if (found != first_row.end() && is_name(wanted[k])) {
                in_header = true;
                if (std::find(found + 1, first_row.end(), wanted[k]) != first_row.end())
                    throw BadOption("--columns: " + file + " has several columns '" + printable(wanted[k]) +
                                    "': give its number");
                continue;
            }
            if (is_name(wanted[k]) || wanted[k].empty())
                throw BadOption("--columns: the first line of " + file + " has no column '" +
                                printable(wanted[k]) + "'");
            index[k] = parse_number("columns", wanted[k], 1, 1000000) - 1;
        }
        for (int k = 0; k < 2; ++k)
            if (index[k] >= first_row.size())
                throw BadOption("--columns: the first line of " + file + " has " +
                                std::to_string(first_row.size()) + " columns, and no column " + wanted[k]);
        in_header = in_header || (is_name(first_row[index[0]]) && is_name(first_row[index[1]]));
        for (int k = 0; k < 2; ++k)
            name[k] = in_header ? printable(first_row[index[k]]) : "column " + std::to_string(index[k] + 1);
    }
};

}  // namespace csv_detail

/// @brief Reads two columns of a CSV file (RFC 4180, with any delimiter and line ends).
///
/// A first row whose two fields are no numbers names them. Rows without any field are skipped.
/// @param[in] file What messages call the file.
/// @throws BadOption with file, line and column for whatever is not a finite number, or not there.
inline Pairs<double> parse_pairs(const std::string& file, const std::vector<unsigned char>& bytes,
                                 const CsvFormat& format) {
    using namespace csv_detail;
    Pairs<double> pairs;
    std::vector<CsvColumns> columns;  // one, once the first row has come
    for_each_row(file, bytes, format.delimiter, [&](const CsvRow& row, std::size_t line) {
        const bool is_first = columns.empty();
        if (is_first) columns.emplace_back(file, row, format.columns);
        const CsvColumns& wanted = columns.front();
        if (is_first && wanted.in_header) return;
        double values[2];
        for (int k = 0; k < 2; ++k) {
            const std::string place = file + ", line " + std::to_string(line) + ", column " +
                                      std::to_string(wanted.index[k] + 1) +
                                      (wanted.in_header ? " (" + wanted.name[k] + ")" : "");
            if (wanted.index[k] >= row.size()) throw BadOption(place + ": the line ends before it");
            const std::string& field = row[wanted.index[k]];
            if (!read_number(field, values[k]))
                throw BadOption(place + ": " +
                                (field.empty() ? "there is nothing"
                                               : "'" + printable(field) + "' is not a finite number"));
        }
        pairs.first.push_back(values[0]);
        pairs.second.push_back(values[1]);
    });
    if (columns.empty()) throw BadOption(file + ": there is nothing in it");
    pairs.first_name = columns.front().name[0];
    pairs.second_name = columns.front().name[1];
    return pairs;
}
