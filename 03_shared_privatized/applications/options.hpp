/// @file
/// @brief The command line of the applications' program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../common/bench/options.hpp"
#include "axis/axis.hpp"
#include "pairs/made_pairs.hpp"
#include "pairs/pairs.hpp"

/// The options of one axis. Without a range, the axis has the range of the data.
struct AxisRequest {
    unsigned int bins = 64;
    std::optional<std::pair<double, double>> range = {};  ///< the ends of the axis, if given
};

/// All options of the program.
struct ApplicationOptions : Options {
    bool joint = false, weighted = false;
    std::string columns;  ///< two names of columns in `file`; empty for its first two
    AxisRequest x, y;
};

/// Adds the options of one axis, such as --bins-x and --range-x.
inline void add_axis(CommandLine& line, const std::string& x, AxisRequest& request) {
    line.number("bins-" + x, "COUNT", "number of bins, all of one width (default 64)", request.bins, 1,
                kMostBins);
    line.add(
        {"range-" + x, "LOW:HIGH", "the range of the bins (default: from the smallest to the largest value)",
         [&request, x](const std::string& text) {
             const std::size_t colon = text.find(':');
             double low = 0, high = 0;
             if (colon == std::string::npos || !read_number(text.substr(0, colon), low) ||
                 !read_number(text.substr(colon + 1), high) || low >= high)
                 throw BadOption("--range-" + x +
                                 " accepts LOW:HIGH, two numbers, the lower one first, not '" + text + "'");
             request.range = {low, high};
         }});
}

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @throws BadOption that names the option and what it accepts.
inline ApplicationOptions parse_application_options(int argc, char** argv) {
    ApplicationOptions options;
    ProgramKind kind{"", "pairs", std::size_t{4} << 20, {}, true};
    for (const NamedPairs& input : named_pairs()) kind.inputs.emplace_back(input.name, input.what);
    CommandLine line;
    line.flag("joint", "count pairs of values, x and y, in two dimensions", options.joint);
    line.flag("weighted", "add up the weights of the values, x, in each bin", options.weighted);
    line.text("file", "PATH", "read the values from two columns of this CSV file", options.file);
    line.add({"columns", "A,B", "the names of the two columns (default: the first two columns)",
              [&](const std::string& text) {
                  if (std::count(text.begin(), text.end(), ',') != 1 || text.front() == ',' ||
                      text.back() == ',')
                      throw BadOption("--columns accepts two names, such as x,y, not '" + text + "'");
                  options.columns = text;
              }});
    add_size_option(line, kind, options);
    add_input_options(line, kind, options);
    add_axis(line, "x", options.x);
    add_axis(line, "y", options.y);
    line.text("bins", "PATH", "write the histogram as CSV, one line per bin ('-': to standard output)",
              options.bins);
    add_measuring_options(line, options);
    line.parse(argc, argv);

    if (options.joint == options.weighted)
        throw BadOption("choose --joint or --weighted; --help lists the options");
    if (options.weighted && line.has_any({"bins-y", "range-y"}))
        throw BadOption("--weighted has one axis, x: leave out the options that end in -y");
    if (options.file.empty() && !options.columns.empty()) throw BadOption("--columns needs --file");
    require_files(line, options);
    return options;
}

/// @brief The axis that the options request.
///
/// Without a range, the axis extends from the least value to the greatest. If these are equal, the axis
/// extends half a unit to both sides. Without values, it extends from 0 to 1.
/// @param[in] values Finite.
/// @par Source
/// numpy.histogram_bin_edges.
template <typename T>
Axis axis_for(const AxisRequest& request, const std::vector<T>& values) {
    if (request.range) return {request.range->first, request.range->second, request.bins};
    if (values.empty()) return {0, 1, request.bins};
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    const double margin = *least == *greatest ? 0.5 : 0;
    return {*least - margin, *greatest + margin, request.bins};
}
