/// @file
/// @brief Translates a file of a program from elsewhere (one that is not the course's), and the program's own
/// headers that the file includes.
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
#include "device_variables.hpp"
#include "discarded_errors.hpp"
#include "dynamic_arrays.hpp"
#include "kernel_pointers.hpp"
#include "launch_macros.hpp"
#include "missing.hpp"
#include "shared_memory.hpp"
#include "volatile_pointers.hpp"

/// Translates a file and the program's headers that it includes, those beside the including file and those in
/// the folders that `-I` names, into a folder, where each has its absolute path. In a file that nvcc leaves
/// to the host's compiler, only uses of missing features are translated, to compiler errors.
class Program {
 public:
    enum class To { cpp, cuda };

    /// @param to The translation's language: C++, or CUDA as clang reads it, which is stricter than nvcc.
    Program(To to, std::string folder, std::vector<std::filesystem::path> included)
        : to_(to), folder_(std::move(folder)), included_(std::move(included)) {}

    /// Translates a file and its headers. Beside the translation, writes OUTPUT.d, a rule of Make that names
    /// them.
    /// @param path The file's name in messages. @throws std::runtime_error whose text begins with `path`.
    void translate_with_rule(const std::filesystem::path& path) {
        translate(path);
        std::string rule = escaped(output_of(path)) + ":";
        for (const std::filesystem::path& file : read_) rule += " " + escaped(file);
        write_source(output_of(path).string() + ".d", rule + "\n");
        // A build looks only at the time of this output, which must be compiled again if a header has
        // changed.
        if (has_changed_)
            std::filesystem::last_write_time(output_of(path), std::filesystem::file_time_type::clock::now());
    }

    /// Translates a file and its headers, without the rule.
    void translate(const std::filesystem::path& path) {
        const std::filesystem::path output = output_of(path);
        if (!done_.insert(output.lexically_normal()).second) return;
        read_.push_back(std::filesystem::absolute(path).lexically_normal());
        std::vector<Token> tokens = Lexer(read_source(path)).tokens();
        std::filesystem::create_directories(output.parent_path());
        std::vector<std::filesystem::path> headers;
        for (const Include& include : includes(tokens)) {
            const std::filesystem::path header = own_header(include, path.parent_path());
            if (header.empty()) leave_out_missing_header(tokens, include);
            headers.push_back(header);
        }
        if (is_for_host(path)) {
            name_what_is_missing(tokens, true);
            std::string text = line_of(path);
            for (const Token& token : tokens) text += token.text;
            return write_if_changed(output, text);
        }
        for (const std::filesystem::path& header : headers)
            if (!header.empty()) translate(header);
        leave_out_stray_backslashes(tokens);
        const std::string sharing = memory_sharing(tokens);
        write_if_changed(output, to_ == To::cuda
                                     ? line_of(path) + for_clang(Tokens(std::move(tokens)))
                                     : sharing + translated_source(path, prepare(std::move(tokens))));
    }

    /// The steps before the course's translator runs.
    Tokens prepare(std::vector<Token> tokens) {
        name_what_is_missing(tokens);
        Tokens all(std::move(tokens));
        DynamicArrays::translate(all);
        kernel_pointers_.translate(all);
        launch_macros_.translate(all);
        discarded_errors_.translate(all);
        VolatilePointers::translate(all);
        return all;
    }

 private:
    static bool is_for_host(const std::filesystem::path& path) {
        const std::filesystem::path kind = path.extension();
        return kind == ".cpp" || kind == ".cc" || kind == ".cxx";
    }
    /// Removes each stray `\`, one that is not at the end of its line: nvcc only warns of it.
    static void leave_out_stray_backslashes(std::vector<Token>& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (tokens[i].text == "\\" && tokens[i].directive == 0 &&
                (i + 1 == tokens.size() || tokens[i + 1].kind == Token::blank))
                tokens[i].text = " ";
    }
    /// The text for clang, without the blanks that an editor may have put into `<<<` and `>>>`.
    static std::string for_clang(Tokens tokens) {
        DeviceVariables::translate(tokens);
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (tokens.third(i, "<") != kNone) Launches(tokens).close_up(i);
        return tokens.join(0, tokens.size());
    }
    /// The program's own header that an `#include` in a file of the folder `beside` names; empty if it names
    /// none.
    std::filesystem::path own_header(const Include& include, const std::filesystem::path& beside) const {
        std::vector<std::filesystem::path> folders = included_;
        if (include.quoted) folders.insert(folders.begin(), beside);
        for (const std::filesystem::path& folder : folders)
            if (std::filesystem::is_regular_file(folder / include.name)) return folder / include.name;
        return {};
    }

    std::filesystem::path output_of(const std::filesystem::path& path) const {
        return folder_ / std::filesystem::absolute(path).relative_path();
    }
    /// A path, escaped as in a rule of Make.
    static std::string escaped(const std::filesystem::path& path) {
        std::string result;
        for (const char c : path.string()) {
            if (c == ' ' || c == '#' || c == '\\') result += '\\';
            if (c == '$') result += '$';
            result += c;
        }
        return result;
    }

    /// Does not write a file again that has not changed: files newer than the executable count as changed.
    void write_if_changed(const std::filesystem::path& path, const std::string& text) {
        std::ifstream old(path, std::ios::binary);
        if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
        write_source(path, text);
        has_changed_ = true;
    }

    const To to_;
    const std::filesystem::path folder_;
    const std::vector<std::filesystem::path> included_;
    KernelPointers kernel_pointers_;
    LaunchMacros launch_macros_;
    DiscardedErrors discarded_errors_;
    std::set<std::filesystem::path> done_;
    std::vector<std::filesystem::path> read_;
    bool has_changed_ = false;
};
