/// @file
/// @brief Pictures of results, which gnuplot draws.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "command_line.hpp"

namespace picture_detail {

inline bool ends_with(const std::string& text, const std::string& ending) {
    return text.size() >= ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace picture_detail

/// A text as gnuplot takes it in single quotes, where only the quote itself is special.
inline std::string gnuplot_quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

/// @brief Makes sure, before any work is done, that a picture can be drawn.
/// @param[in] option The option that asks for it.
/// @throws BadOption if the file's name ends neither in .svg nor in .png, or gnuplot is missing.
inline void require_picture(const std::string& option, const std::string& path) {
    using picture_detail::ends_with;
    if (!ends_with(path, ".svg") && !ends_with(path, ".png"))
        throw BadOption("--" + option + " takes a file name that ends in .svg or .png, not '" + path + "'");
    if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
        throw BadOption("--" + option + " needs gnuplot, which is not installed (Debian: gnuplot-nox)");
}

/// @brief Has gnuplot draw a picture.
/// @param[in] path   A file that `require_picture` has agreed to; it is replaced.
/// @param[in] width  In pixels, and `height` as well.
/// @param[in] script What to plot, in gnuplot's language, data included.
/// @throws std::runtime_error if it can't be drawn or written.
inline void draw_picture(const std::string& path, int width, int height, const std::string& script) {
    // gnuplot would go on without a file that it can't open.
    if (std::FILE* const file = std::fopen(path.c_str(), "ab"))
        std::fclose(file);
    else
        throw std::runtime_error(path + ": the picture could not be written");
    const bool svg = picture_detail::ends_with(path, ".svg");
    const std::string terminal = "set terminal " + std::string(svg ? "svg" : "pngcairo") + " size " +
                                 std::to_string(width) + "," + std::to_string(height) +
                                 " noenhanced font 'sans-serif,12' background rgb 'white'\n";
    std::FILE* const gnuplot = popen("gnuplot", "w");
    if (gnuplot == nullptr) throw std::runtime_error("gnuplot could not be started");
    const std::string all =
        terminal + "set output " + gnuplot_quoted(path) + "\n" + script + "\nunset output\n";
    const bool written = std::fwrite(all.data(), 1, all.size(), gnuplot) == all.size();
    if (pclose(gnuplot) != 0 || !written)
        throw std::runtime_error(path + ": gnuplot could not draw the picture");
}
