/// @file
/// @brief Files that programs write: checked before the run, replaced atomically after it. If anything
///        fails, the old file is unchanged.
#pragma once

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../problem/file.hpp"
#include "command_line.hpp"

namespace output_detail {

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Standard output or standard error, if a path leads to it ("-", or a name such as /dev/stdout); else null.
inline std::FILE* standard_stream(const std::string& path) {
    struct stat status {
    }, standard{};
    if (path == "-") return stdout;
    if (stat(path.c_str(), &status) != 0) return nullptr;
    for (std::FILE* const stream : {stdout, stderr})
        if (fstat(fileno(stream), &standard) == 0 && standard.st_dev == status.st_dev &&
            standard.st_ino == status.st_ino)
            return stream;
    return nullptr;
}

[[noreturn]] inline void throw_errno() { throw std::runtime_error(std::strerror(errno)); }

/// @return The file that a path leads to, through links. It need not exist.
/// @throws std::runtime_error if the file can't be written, or is no regular file.
inline std::filesystem::path writable_file(const std::string& path) {
    std::error_code error;
    const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
    if (error) throw std::runtime_error(error.message());
    const bool exists = std::filesystem::exists(file);
    if (exists && !std::filesystem::is_regular_file(file))
        throw std::runtime_error("it is neither a regular file nor standard output");
    const auto folder = file.parent_path() / "";
    if (access(folder.c_str(), W_OK | X_OK) != 0 || (exists && access(file.c_str(), W_OK) != 0))
        throw_errno();
    return file;
}

/// Writes a new file beside the old one, and renames it once it is complete. @throws std::runtime_error.
inline void replace_file(const std::filesystem::path& file, std::string_view text) {
    const auto part = file.parent_path() / (".course-" + std::to_string(getpid()) + ".part");
    unlink(part.c_str());  // left by a program that was killed
    Stream stream(std::fopen(part.c_str(), "wxe"), std::fclose);
    if (stream && std::fwrite(text.data(), 1, text.size(), stream.get()) == text.size() &&
        std::fclose(stream.release()) == 0 && std::rename(part.c_str(), file.c_str()) == 0)
        return;
    const int error = errno;
    unlink(part.c_str());
    errno = error;
    throw_errno();
}

}  // namespace output_detail

/// A path, and the option that gave it.
struct NamedFile {
    std::string option, path;

    /// Whether both paths lead to one file, even if it does not exist yet.
    bool is_same_as(const NamedFile& other) const {
        namespace fs = std::filesystem;
        std::error_code error;
        return !path.empty() && (fs::equivalent(path, other.path, error) ||
                                 fs::weakly_canonical(fs::absolute(path, error), error) ==
                                     fs::weakly_canonical(fs::absolute(other.path, error), error));
    }
};

/// @brief Makes sure, before anything runs, that files can be written, that none is written twice, and that
///        none overwrites the input. Empty paths are skipped.
/// @throws BadOption with the reason.
inline void require_outputs(const std::vector<NamedFile>& outputs, const NamedFile& input) {
    std::vector<NamedFile> taken{input};
    for (const NamedFile& output : outputs) {
        if (output.path.empty() || output_detail::standard_stream(output.path) != nullptr) continue;
        try {
            output_detail::writable_file(output.path);
        } catch (const std::exception& error) {
            throw BadOption("--" + output.option + " can't write " + output.path + ": " + error.what());
        }
        for (const NamedFile& other : taken)
            if (other.is_same_as(output))
                throw BadOption("--" + other.option + " and --" + output.option + " name the same file, " +
                                output.path + ": write to another one");
        taken.push_back(output);
    }
}

/// @brief Writes a text to a file, which is replaced atomically, or to standard output.
/// @param[in] path "-" is standard output.
/// @throws std::runtime_error if the text can't be written. An existing file is then unchanged.
inline void write_output(const std::string& path, std::string_view text) {
    if (std::FILE* const stream = output_detail::standard_stream(path)) {
        std::fputc('\n', stream);
        std::fwrite(text.data(), 1, text.size(), stream);  // `run_program` checks for errors
        return;
    }
    try {
        output_detail::replace_file(output_detail::writable_file(path), text);
    } catch (const std::exception& error) {
        throw std::runtime_error(path + ": could not be written: " + error.what());
    }
}

/// @brief Appends lines to a file by `write_output`. Programs that do so at the same time take turns.
/// @param[in] heading The first line, which a new or empty file gets, and which any other file must have.
/// @throws std::invalid_argument if the file can't be read, std::runtime_error if it can't be written or
///         begins with another line. The file is then unchanged.
inline void append_to_output(const std::string& path, const std::string& heading, const std::string& lines) {
    output_detail::Stream lock(nullptr, std::fclose);
    std::string text;
    if (output_detail::standard_stream(path) == nullptr) {
        const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
        lock.reset(std::fopen(file.parent_path().c_str(), "re"));
        if (lock) flock(fileno(lock.get()), LOCK_EX);  // the folder, not the file, which is replaced
        if (std::filesystem::is_regular_file(file)) {
            const std::vector<unsigned char> old = read_file(file, SIZE_MAX);
            text.assign(old.begin(), old.end());
        }
    }
    if (text.empty()) text = heading + "\n";
    if (std::string_view(text).substr(0, text.find('\n')) != heading)
        throw std::runtime_error(path + ": has other columns, so nothing is added: write to another file");
    if (text.back() != '\n') text += '\n';
    write_output(path, text + lines);
}
