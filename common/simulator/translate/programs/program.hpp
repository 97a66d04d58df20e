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
#include "kernel_pointers.hpp"
#include "launch_macros.hpp"
#include "missing.hpp"
#include "volatile_pointers.hpp"

/// Translates a file and all that it includes by `#include "…"` into a folder, under their absolute paths.
class Program {
 public:
    explicit Program(std::string folder) : folder_(std::move(folder)) {}

    /// @param path What messages call the file. @throws std::runtime_error that begins with it.
    void translate(const std::filesystem::path& path) {
        const std::filesystem::path output = folder_ / std::filesystem::absolute(path).relative_path();
        if (!done_.insert(output.lexically_normal()).second) return;
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
        VolatilePointers::translate(all);
        for (std::size_t i = 0; i < all.size(); ++i)  // as a macro, it would change GCC's __noinline__
            if (all.is(i, "__noinline__") && !all.is(all.end_before(i) - 1, "("))
                all.text(i) = "__attribute__((noinline))";
        return all;
    }

 private:
    /// What is newer than the executable has changed, so what has not changed is left alone.
    static void write_if_changed(const std::filesystem::path& path, const std::string& text) {
        std::ifstream old(path, std::ios::binary);
        if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
        write_source(path, text);
    }

    const std::filesystem::path folder_;
    KernelPointers kernel_pointers_;
    LaunchMacros launch_macros_;
    std::set<std::filesystem::path> done_;
};
