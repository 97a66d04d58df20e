/// @file
/// @brief Makes texts from outside, such as file names, safe for terminals and tables.
#pragma once

#include <locale.h>
#include <wchar.h>
#include <wctype.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

/// @return The text as one line of UTF-8, with control characters and invalid bytes written as `\x1b`.
inline std::string visible(std::string_view text) {
    static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    const locale_t before = uselocale(utf8);  // null keeps the old locale, in which only ASCII is shown
    std::string line;
    while (!text.empty()) {
        wchar_t character = 0;
        std::mbstate_t state{};
        const std::size_t size = mbrtowc(&character, text.data(), text.size(), &state);
        if (size - 1 < text.size() && character < 0x110000 && iswcntrl(static_cast<wint_t>(character)) == 0) {
            line += text.substr(0, size);
            text.remove_prefix(size);
            continue;
        }
        char escaped[8];
        std::snprintf(escaped, sizeof(escaped), "\\x%02x", static_cast<unsigned char>(text.front()));
        line += escaped;
        text.remove_prefix(1);
    }
    uselocale(before);
    return line;
}
