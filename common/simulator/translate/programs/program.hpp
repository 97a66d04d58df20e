/// @file
/// @brief Translates a program from elsewhere: one file, and the headers of its own that it includes.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../source_file.hpp"
#include "discarded_errors.hpp"
#include "kernel_pointers.hpp"
#include "launch_macros.hpp"
#include "missing.hpp"
#include "volatile_pointers.hpp"

/// Translates a file and all that it includes by `#include "…"` into a folder, under their absolute paths.
class Program {
 public:
    explicit Program(std::string folder) : folder_(std::move(folder)) {}

    /// Translates a file and its headers, and writes a rule of Make beside it, OUTPUT.d, that names them.
    /// @param path What messages call the file. @throws std::runtime_error that begins with it.
    void translate_with_rule(const std::filesystem::path& path) {
        translate(path);
        std::string rule = escaped(output_of(path)) + ":";
        for (const std::filesystem::path& file : read_) rule += " " + escaped(file);
        write_source(output_of(path).string() + ".d", rule + "\n");
        // A build sees only this file, which must be compiled again if a header has changed.
        if (has_changed_)
            std::filesystem::last_write_time(output_of(path), std::filesystem::file_time_type::clock::now());
    }

    /// Without the rule.
    void translate(const std::filesystem::path& path) {
        const std::filesystem::path output = output_of(path);
        if (!done_.insert(output.lexically_normal()).second) return;
        read_.push_back(std::filesystem::absolute(path).lexically_normal());
        std::vector<Token> tokens = Lexer(read_source(path)).tokens();
        for (const Include& include : includes(tokens)) {
            const std::filesystem::path header = path.parent_path() / include.name;
            if (include.quoted && std::filesystem::is_regular_file(header)) translate(header);
        }
        std::filesystem::create_directories(output.parent_path());
        write_if_changed(output, translated_source(path, prepare(std::move(tokens))));
    }

    /// What is done to a file before the course's translator does its part.
    Tokens prepare(std::vector<Token> tokens) {
        name_what_is_missing(tokens);
        Tokens all(std::move(tokens));
        kernel_pointers_.translate(all);
        launch_macros_.translate(all);
        discarded_errors_.translate(all);
        VolatilePointers::translate(all);
        for (std::size_t i = 0; i < all.size(); ++i)  // as a macro, it would change GCC's __noinline__
            if (all.is(i, "__noinline__") && !all.is(all.end_before(i) - 1, "("))
                all.text(i) = "__attribute__((noinline))";
        return all;
    }

 private:
    std::filesystem::path output_of(const std::filesystem::path& path) const {
        return folder_ / std::filesystem::absolute(path).relative_path();
    }
    /// A name, as it is written in a rule.
    static std::string escaped(const std::filesystem::path& path) {
        std::string result;
        for (const char c : path.string()) {
            if (c == ' ' || c == '#' || c == '\\') result += '\\';
            if (c == '$') result += '$';
            result += c;
        }
        return result;
    }

    /// What is newer than the executable has changed, so what has not changed is left alone.
    void write_if_changed(const std::filesystem::path& path, const std::string& text) {
        std::ifstream old(path, std::ios::binary);
        if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
        write_source(path, text);
        has_changed_ = true;
    }

    const std::filesystem::path folder_;
    KernelPointers kernel_pointers_;
    LaunchMacros launch_macros_;
    DiscardedErrors discarded_errors_;
    std::set<std::filesystem::path> done_;
    std::vector<std::filesystem::path> read_;
    bool has_changed_ = false;
};
