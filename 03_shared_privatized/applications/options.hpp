/// @file
/// @brief What the command line of the applications' program can ask for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "../../common/bench/command_line.hpp"
#include "../../common/bench/options.hpp"
#include "../../common/bench/picture.hpp"
#include "axis.cuh"
#include "made_pairs.hpp"
#include "pairs.hpp"
#include "private_bins.cuh"

/// What was asked of one axis. The rest comes from the data.
struct AxisRequest {
    unsigned int bins = 0;  ///< 0: 64, or as many as the width gives
    double width = 0;       ///< of a bin; 0: as the number of bins gives
    bool has_range = false;
    double low = 0, high = 0;
};

/// What the command line asked for: one of two applications, and how.
struct ApplicationOptions : Options {
    bool weighted = false;  ///< else joint
    CsvFormat format;       ///< of `file`
    AxisRequest x, y;
    Outside outside = Outside::drop;
    std::string picture;  ///< file for a picture
};

namespace application_detail {

/// A finite decimal number.
inline double parse_real(const std::string& option, const std::string& takes, const std::string& text) {
    double value = 0;
    if (!csv_detail::read_number(text, value))
        throw BadOption("--" + option + " takes " + takes + ", not '" + text + "'");
    return value;
}

/// The options of one axis: --bins-x, --width-x, --range-x.
inline void add_axis(CommandLine& line, const std::string& x, AxisRequest& request) {
    line.add({"bins-" + x, "COUNT", "bins of one width (default 64)", [&request, x](const std::string& text) {
                  request.bins = static_cast<unsigned int>(parse_number("bins-" + x, text, 1, kMostBins));
              }});
    line.add({"width-" + x, "WIDTH", "instead: the width of a bin", [&request, x](const std::string& text) {
                  request.width = parse_real("width-" + x, "a number greater than 0", text);
                  if (request.width <= 0)
                      throw BadOption("--width-" + x + " takes a number greater than 0, not '" + text + "'");
              }});
    line.add({"range-" + x, "LOW:HIGH", "from where to where (default: from the least value to the greatest)",
              [&request, x](const std::string& text) {
                  const std::string takes = "LOW:HIGH, two numbers, the lower one first";
                  const std::size_t colon = text.find(':');
                  request.low = parse_real("range-" + x, takes, text.substr(0, colon));
                  request.high = parse_real("range-" + x, takes,
                                            colon == std::string::npos ? "" : text.substr(colon + 1));
                  if (request.low >= request.high)
                      throw BadOption("--range-" + x + " takes " + takes + ", not '" + text + "'");
                  request.has_range = true;
              }});
}

inline void refuse_contradictions(const ApplicationOptions& options, bool made_input, bool csv_format) {
    const auto both = [](const std::string& x, const AxisRequest& request) {
        if (request.bins != 0 && request.width != 0)
            throw BadOption("--width-" + x + " decides how many bins there are: leave out --bins-" + x);
    };
    both("x", options.x);
    both("y", options.y);
    if (options.weighted && (options.y.bins != 0 || options.y.width != 0 || options.y.has_range))
        throw BadOption("--weighted has one axis, x: leave out what ends in -y");
    if (options.weighted && !options.picture.empty())
        throw BadOption("--picture goes with --joint: --weighted draws in the terminal");
    if (!options.file.empty() && made_input)
        throw BadOption("--file takes the whole file: leave out --n, --input and --seed");
    if (options.file.empty() && csv_format) throw BadOption("--columns and --delimiter go with --file");
    if (!options.picture.empty()) require_picture("picture", options.picture);
}

}  // namespace application_detail

/// @brief Reads the command line. `--help` prints the options and ends the program.
/// @throws BadOption naming the option and what it takes.
inline ApplicationOptions parse_application_options(int argc, char** argv) {
    using namespace application_detail;
    ApplicationOptions options;
    ProgramKind kind{"pairs to make", std::size_t{4} << 20, {}, true};
    for (const NamedPairs& input : named_pairs()) kind.inputs.push_back({input.name, input.what});
    options.n = kind.default_n;
    options.input = kind.inputs.front().first;
    bool joint = false, made_input = false, csv_format = false;

    CommandLine line;
    line.flag("joint", "count pairs of values, x and y, in two dimensions", joint);
    line.flag("weighted", "add up weights by the bins of their values, x", options.weighted);
    line.text("file", "PATH", "read the values from two columns of this CSV file", options.file);
    line.add({"columns", "A,B", "which two, by name or by number (default 1,2): x,y or value,weight",
              [&](const std::string& text) { options.format.columns = text, csv_format = true; }});
    line.add({"delimiter", "CHAR", "what stands between columns (default ,); tab for a tabulator",
              [&](const std::string& text) {
                  if (text != "tab" && (text.size() != 1 || text.find_first_of("\"\r\n ") == 0))
                      throw BadOption("--delimiter takes one character or tab, not '" + text + "'");
                  options.format.delimiter = text == "tab" ? '\t' : text[0];
                  csv_format = true;
              }});
    line.add(
        {"n", "SIZE", "without a file: how many pairs to make (default 4M)", [&](const std::string& text) {
             options.n = parse_number("n", text, 0, std::numeric_limits<std::int64_t>::max(), true);
             made_input = true;
         }});
    line.add(input_option(kind, options, made_input));
    line.add({"seed", "NUMBER", "another seed, another input (default 1)", [&](const std::string& text) {
                  options.seed = parse_number("seed", text, 0, std::numeric_limits<std::uint64_t>::max());
                  made_input = true;
              }});
    add_axis(line, "x", options.x);
    add_axis(line, "y", options.y);
    line.add({"outside", "WHAT", "what becomes of values outside of the range: drop (default) or clamp",
              [&](const std::string& text) {
                  if (text != "drop" && text != "clamp")
                      throw BadOption("--outside takes drop or clamp, not '" + text + "'");
                  options.outside = text == "drop" ? Outside::drop : Outside::clamp;
              }});
    line.text("bins", "PATH", "write the histogram as CSV, a line a bin ('-': to standard output)",
              options.bins);
    line.text("picture", "PATH", "draw the joint distribution, as .svg or .png", options.picture);
    add_measuring_options(line, options);
    line.parse(argc, argv);
    if (joint == options.weighted) throw BadOption("say --joint or --weighted; --help lists the options");
    refuse_contradictions(options, made_input, csv_format);
    return options;
}

/// @brief The axis that was asked for, as far as it was, and for the rest one that suits the values.
///
/// Without a range it goes from the least value to the greatest; where these are one, half a unit to both
/// sides; where there are none, from 0 to 1. If bins of the width do not end with the range, the last one
/// reaches past it.
/// @param[in] values Finite.
/// @throws BadOption if the width gives too many bins.
/// @par Source
/// numpy.histogram_bin_edges.
template <typename T>
Axis axis_for(const AxisRequest& request, const std::vector<T>& values) {
    Axis axis{request.low, request.high, request.bins != 0 ? request.bins : 64};
    if (!request.has_range) {
        const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
        axis.low = values.empty() ? 0 : *least;
        axis.high = values.empty() ? 1 : *greatest;
        if (axis.low == axis.high) axis = {axis.low - 0.5, axis.high + 0.5, axis.bins};
    }
    if (request.width == 0) return axis;
    const double count = (axis.high - axis.low) / request.width, whole = std::nearbyint(count);
    if (!(count <= static_cast<double>(kMostBins)))
        throw BadOption("bins of the width " + shortest(request.width) + " from " + shortest(axis.low) +
                        " to " + shortest(axis.high) + " are more than " + std::to_string(kMostBins));
    // 0.3 / 0.1 is a little less than 3: as near as that, the range is meant to be divided evenly.
    const bool even = whole >= 1 && std::fabs(count - whole) <= 1e-9 * whole;
    axis.bins = static_cast<unsigned int>(even ? whole : std::ceil(count));
    if (!even) axis.high = axis.low + axis.bins * request.width;
    return axis;
}
