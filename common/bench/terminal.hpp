/// @file
/// @brief What a terminal shows: lines that fit, and styles for what stands out.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

constexpr std::size_t kColumns = 100;  ///< the width of a line of output

/// @return The text in lines of at most `kColumns`, broken only between words.
/// @param[in] text   One line.
/// @param[in] indent Columns before each line but the first.
/// @param[in] used   Columns that are used before the first line.
inline std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = text.find(' ');
        const std::string_view word = text.substr(0, end);
        if (!lines.empty() && used + 1 + word.size() > kColumns) {
            lines += '\n' + std::string(indent, ' ');
            used = indent;
        } else if (!lines.empty()) {
            lines += ' ';
            ++used;
        }
        lines += word;
        used += word.size();
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return lines;
}

/// @return Whether the stream is a terminal that can overwrite a line and show styles.
inline bool is_terminal(std::FILE* stream) {
    const char* const kind = std::getenv("TERM");
    return isatty(fileno(stream)) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

/// How a text stands out.
enum class Look { plain, good, warning, bad };

/// @return The text in this style on a terminal; unchanged elsewhere, or if NO_COLOR is set.
inline std::string looks(Look look, const std::string& text, std::FILE* stream = stdout) {
    const char* const none = std::getenv("NO_COLOR");
    if (look == Look::plain || !is_terminal(stream) || (none != nullptr && *none != '\0')) return text;
    const char* const codes[] = {"", "32", "33", "1;31"};
    return std::string("\33[") + codes[static_cast<int>(look)] + "m" + text + "\33[0m";
}
