/// @file
/// @brief A joint distribution to look at: in the terminal, and as a picture.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "../../common/bench/picture.hpp"
#include "../../common/problem/verify.hpp"
#include "axis.cuh"

/// A histogram of pairs with what its axes are called. Row by row: bin (bx, by) is `by * x.bins + bx`.
struct JointHistogram {
    std::string x_name, y_name;
    Axis x, y;
    Bins bins;
};

namespace joint_detail {

/// Takes `together` neighbouring bins for one, to have `most` at the most. The last one may hold fewer.
inline std::pair<Axis, std::size_t> coarser_axis(const Axis& axis, std::size_t most) {
    const std::size_t together = (axis.bins + most - 1) / most;
    const auto bins = static_cast<unsigned int>((axis.bins + together - 1) / together);
    const double width = (axis.high - axis.low) / axis.bins;
    return {{axis.low, axis.low + width * static_cast<double>(bins * together), bins}, together};
}

}  // namespace joint_detail

/// The same histogram with fewer and wider bins, at most so many along each axis.
inline JointHistogram coarser(const JointHistogram& fine, std::size_t most_x, std::size_t most_y) {
    const auto [x, x_together] = joint_detail::coarser_axis(fine.x, most_x);
    const auto [y, y_together] = joint_detail::coarser_axis(fine.y, most_y);
    JointHistogram coarse{fine.x_name, fine.y_name, x, y, Bins(std::size_t{x.bins} * y.bins, 0)};
    for (std::size_t by = 0; by < fine.y.bins; ++by)
        for (std::size_t bx = 0; bx < fine.x.bins; ++bx)
            coarse.bins[by / y_together * x.bins + bx / x_together] += fine.bins[by * fine.x.bins + bx];
    return coarse;
}

/// @brief Prints a map of up to 64 x 16 characters: the denser the darker, a blank where there is nothing.
inline void print_map(const JointHistogram& histogram) {
    const JointHistogram map = coarser(histogram, 64, 16);
    const std::string shades = " .:-=+*#%@";
    const auto most = static_cast<double>(*std::max_element(map.bins.begin(), map.bins.end()));
    std::printf("\n%s\n", map.y_name.c_str());
    for (std::size_t by = map.y.bins; by-- > 0;) {
        const std::string edge = by + 1 == map.y.bins ? rough(histogram.y.high)
                                 : by == 0            ? rough(histogram.y.low)
                                                      : "";
        std::printf("%12s |", edge.c_str());
        for (std::size_t bx = 0; bx < map.x.bins; ++bx) {
            const auto count = static_cast<double>(map.bins[by * map.x.bins + bx]);
            const auto shade = static_cast<std::size_t>(std::ceil(count / std::max(most, 1.0) * 9));
            std::printf("%c", shades[shade]);
        }
        std::printf("|\n");
    }
    std::printf("%14s%-*s%s  %s\n", "", static_cast<int>(map.x.bins) - 8, rough(histogram.x.low).c_str(),
                rough(histogram.x.high).c_str(), map.x_name.c_str());
}

/// @brief Draws the joint distribution with axes and a scale of colours; more than 512 bins are drawn
/// coarser.
/// @param[in] path A file that `require_picture` has agreed to; it is replaced.
/// @throws std::runtime_error if it can't be drawn or written.
inline void draw_joint(const std::string& path, const JointHistogram& histogram) {
    const JointHistogram cells = coarser(histogram, 128, 128);
    const bool whole = cells.x.bins == histogram.x.bins && cells.y.bins == histogram.y.bins;
    const double x_width = (cells.x.high - cells.x.low) / cells.x.bins;
    const double y_width = (cells.y.high - cells.y.low) / cells.y.bins;
    const auto range = [](const Axis& axis) {
        return "[" + shortest(axis.low) + ":" + shortest(axis.high) + "]\n";
    };
    std::string script =
        "set xlabel " + gnuplot_quoted(histogram.x_name) + "\nset ylabel " +
        gnuplot_quoted(histogram.y_name) + "\nset cblabel 'pairs in a " +
        (whole ? "bin" : "cell of several bins") + "'\nset xrange " + range(histogram.x) + "set yrange " +
        range(histogram.y) +
        "set tics out nomirror\nset cbrange [0:*]\nunset key\n"
        // From white over blue to black: a grey copy of it still has the order.
        "set palette defined (0 '#ffffff', 1 '#c6dbef', 2 '#6baed6', 3 '#2171b5', 4 '#08306b', 5 '#000000')\n"
        "$cells << END\n";
    for (std::size_t by = 0; by < cells.y.bins; ++by)
        for (std::size_t bx = 0; bx < cells.x.bins; ++bx)
            script += shortest(cells.x.low + (static_cast<double>(bx) + 0.5) * x_width) + " " +
                      shortest(cells.y.low + (static_cast<double>(by) + 0.5) * y_width) + " " +
                      std::to_string(cells.bins[by * cells.x.bins + bx]) + "\n";
    draw_picture(path, 800, 640, script + "END\nplot $cells using 1:2:3 with image pixels\n");
}
