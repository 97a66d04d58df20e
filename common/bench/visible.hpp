/// @file
/// @brief Texts from outside, such as names of files, for terminals and tables.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

/// @return How many bytes the character has that a text begins with; 0 if it is a control character or no
///         UTF-8.
inline std::size_t printable_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
    const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    unsigned int code = byte(0) & (0xffu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    const unsigned int least = size == 2   ? 0xa0
                               : size == 3 ? 0x800
                                           : 0x10000;  // below 0xa0: control characters
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return byte(0) >= 0xc0 && byte(0) < 0xf8 && code >= least && code <= 0x10ffff && !is_surrogate ? size : 0;
}

/// @return The text in one line of UTF-8: a byte that a terminal could obey, or could not show, reads `\x1b`.
inline std::string visible(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        if (const std::size_t size = printable_bytes(text); size != 0) {
            line += text.substr(0, size);
            text.remove_prefix(size);
            continue;
        }
        char escaped[8];
        std::snprintf(escaped, sizeof(escaped), "\\x%02x", static_cast<unsigned char>(text.front()));
        line += escaped;
        text.remove_prefix(1);
    }
    return line;
}
