/// @file
/// @brief Source files that the translator reads and writes. Errors name the file.
#pragma once

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "translator.hpp"

inline std::string read_source(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) throw std::runtime_error(path.string() + ": cannot be read");
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors write it
    if (text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) text.erase(0, kByteOrderMark.size());
    return text;
}

inline void write_source(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

/// @return A `#line` directive, by which compilers name `path` in their messages about what follows.
inline std::string line_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << "#line 1 " << std::quoted(path.string()) << "\n";
    return text.str();
}

/// @return The C++ translation of a file's tokens. Compilers name `path` in their messages about it.
inline std::string translated_source(const std::filesystem::path& path, Tokens tokens) {
    try {
        return line_of(path) + Translator(std::move(tokens)).translate();
    } catch (const std::exception& error) {
        const std::string what = error.what();
        throw std::runtime_error((what.starts_with(':') ? path.string() : "") + what);
    }
}
