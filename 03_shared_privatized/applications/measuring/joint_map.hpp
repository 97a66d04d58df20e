/// @file
/// @brief A joint distribution, for a terminal and for a file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../../../common/problem/variant.hpp"
#include "../axis/axis.hpp"

/// A histogram of pairs with the names of its axes. Row by row: bin (bx, by) is `by * x.bins + bx`.
struct JointHistogram {
    std::string x_name, y_name;
    Axis x, y;
    Results bins;
};

/// @brief A coarser histogram: each bin is the sum of `x_together` by `y_together` neighbouring bins.
/// @return Row by row; the last bins of a row or column may be sums of fewer bins.
inline Results coarser(const JointHistogram& fine, std::size_t x_together, std::size_t y_together) {
    const std::size_t columns = (fine.x.bins - 1) / x_together + 1, rows = (fine.y.bins - 1) / y_together + 1;
    Results bins(columns * rows, 0);
    for (std::size_t by = 0; by < fine.y.bins; ++by)
        for (std::size_t bx = 0; bx < fine.x.bins; ++bx)
            bins[by / y_together * columns + bx / x_together] += fine.bins[by * fine.x.bins + bx];
    return bins;
}

/// @brief Prints a map of up to 64 x 16 characters: denser bins are darker, and empty ones blank.
inline void print_map(const JointHistogram& histogram) {
    const std::size_t x_together = (histogram.x.bins + 63) / 64, y_together = (histogram.y.bins + 15) / 16;
    const Results map = coarser(histogram, x_together, y_together);
    const std::size_t columns = (histogram.x.bins - 1) / x_together + 1, rows = map.size() / columns;
    const std::string shades = " .:-=+*#%@";
    const auto most = static_cast<double>(*std::max_element(map.begin(), map.end()));
    std::printf("\n%s\n", histogram.y_name.c_str());
    for (std::size_t row = rows; row-- > 0;) {
        const std::string edge = row + 1 == rows ? rough(histogram.y.high)
                                 : row == 0      ? rough(histogram.y.low)
                                                 : "";
        std::string line;
        for (std::size_t column = 0; column < columns; ++column) {
            const auto count = static_cast<double>(map[row * columns + column]);
            line += shades[static_cast<std::size_t>(std::ceil(count / std::max(most, 1.0) * 9))];
        }
        std::printf("%12s |%s|\n", edge.c_str(), line.c_str());
    }
    std::printf("%14s%-*s%s  %s\n", "", static_cast<int>(columns) - 8, rough(histogram.x.low).c_str(),
                rough(histogram.x.high).c_str(), histogram.x_name.c_str());
}

/// @return A line of CSV per bin, with its edges, row by row.
inline std::string as_csv(const JointHistogram& histogram) {
    std::vector<std::string> x, y;
    for (const double edge : edges_of(histogram.x)) x.push_back(shortest(edge));
    for (const double edge : edges_of(histogram.y)) y.push_back(shortest(edge));
    std::string text = "x_low,x_high,y_low,y_high,count\n";
    for (std::size_t by = 0; by < histogram.y.bins; ++by)
        for (std::size_t bx = 0; bx < histogram.x.bins; ++bx)
            text += x[bx] + "," + x[bx + 1] + "," + y[by] + "," + y[by + 1] + "," +
                    std::to_string(histogram.bins[by * histogram.x.bins + bx]) + "\n";
    return text;
}
