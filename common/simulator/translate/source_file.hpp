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
#include <utility>

#include "translator.hpp"

inline std::string read_source(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) throw std::runtime_error(path.string() + ": cannot be read");
    return text;
}

inline void write_source(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

/// The C++ translation of a file's tokens. Compilers name `path` in their messages.
inline std::string translated_source(const std::filesystem::path& path, Tokens tokens) {
    std::ostringstream text;
    try {
        text << "#line 1 " << std::quoted(path.string()) << "\n" << Translator(std::move(tokens)).translate();
    } catch (const std::exception& error) {
        throw std::runtime_error(path.string() + ":" + error.what());
    }
    return text.str();
}
