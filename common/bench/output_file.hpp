/// @file
/// @brief Files that programs write: checked before the run, replaced atomically after it. If anything
///        fails, the old file is unchanged.
#pragma once

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../problem/file.hpp"
#include "command_line.hpp"

namespace output_detail {

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] inline void throw_errno() { throw std::system_error(errno, std::generic_category()); }

/// Writes and closes. @throws std::system_error.
inline void write_all(Stream stream, std::string_view text) {
    if (!stream || std::fwrite(text.data(), 1, text.size(), stream.get()) != text.size() ||
        std::fflush(stream.get()) != 0 || std::fclose(stream.release()) != 0)
        throw_errno();
}

/// The file, device or pipe that a path leads to.
struct Target {
    std::filesystem::path path;   ///< links are followed, even to a file that does not exist yet
    std::FILE* stream = nullptr;  ///< standard output or standard error, if it is one of them
    bool is_file = true;          ///< a regular or a new file; false for a device or a pipe
    bool exists = false;
};

/// @throws std::system_error for a directory, or if a part of the path is missing.
inline Target find_target(const std::string& path) {
    if (path == "-") return {path, stdout, false, true};
    struct stat status {
    }, standard{};
    Target target{std::filesystem::absolute(path), nullptr, true, stat(path.c_str(), &status) == 0};
    if (!target.exists && errno != ENOENT) throw_errno();
    if (target.exists) {
        for (std::FILE* const stream : {stdout, stderr})
            if (fstat(fileno(stream), &standard) == 0 && standard.st_dev == status.st_dev &&
                standard.st_ino == status.st_ino)
                return {path, stream, false, true};
        if (S_ISDIR(status.st_mode)) throw std::system_error(EISDIR, std::generic_category());
        target.is_file = S_ISREG(status.st_mode);
    }
    while (target.is_file && std::filesystem::is_symlink(target.path))  // no cycle: stat has followed them
        target.path = target.path.parent_path() / std::filesystem::read_symlink(target.path);
    return target;
}

/// @return The same text for all paths to one regular file, even if it does not exist yet; empty for others.
inline std::string identity(const Target& target) {
    struct stat status {};
    const std::filesystem::path found = target.exists ? target.path : target.path.parent_path();
    if (!target.is_file || stat(found.c_str(), &status) != 0) return "";
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) +
           (target.exists ? "" : "/" + target.path.filename().string());
}

/// The file that a fatal signal removes.
inline std::atomic<const char*> unfinished_file = nullptr;

/// Makes fatal signals remove the unfinished file.
inline void watch_signals() {
    struct sigaction now {
    }, remove_first{};
    remove_first.sa_handler = [](int signal) {
        if (const char* const name = unfinished_file) unlink(name);
        raise(signal);
    };
    remove_first.sa_flags = SA_RESETHAND;
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ})
        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(signal, &remove_first, nullptr);
}

/// A new file next to its target, which it replaces once it is complete. After a failure it is removed.
class Unfinished {
 public:
    /// @throws std::system_error if no file can be created in that folder.
    explicit Unfinished(const std::filesystem::path& target) : target_(target) {
        watch_signals();
        for (int number = 0;; ++number) {
            name_ = target.parent_path() /
                    (".course-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".part");
            unfinished_file = name_.c_str();
            stream_.reset(std::fopen(name_.c_str(), "wxe"));  // x: a new file, never the target of a link
            if (stream_) break;
            unfinished_file = nullptr;
            if (errno != EEXIST) throw_errno();
        }
        struct stat old {};
        if (stat(target.c_str(), &old) != 0) return;
        [[maybe_unused]] const bool alike = fchmod(fileno(stream_.get()), old.st_mode) == 0 &&
                                            fchown(fileno(stream_.get()), old.st_uid, old.st_gid) == 0;
    }
    ~Unfinished() {
        unlink(name_.c_str());  // fails if the file has replaced the target
        unfinished_file = nullptr;
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    /// Writes everything, and replaces the target. @throws std::system_error.
    void complete(std::string_view text) {
        write_all(std::move(stream_), text);
        std::filesystem::rename(name_, target_);
    }

 private:
    const std::filesystem::path target_;
    std::filesystem::path name_;
    Stream stream_{nullptr, std::fclose};
};

}  // namespace output_detail

/// A path, and the option that gave it.
struct NamedFile {
    std::string option, path;
};

/// @brief Makes sure, before anything runs, that files can be written, that none is written twice, and that
///        none overwrites the input. Empty paths are skipped.
/// @throws BadOption with the reason.
inline void require_outputs(const std::vector<NamedFile>& outputs, const NamedFile& input) {
    using namespace output_detail;
    std::map<std::string, std::string> taken;
    const auto take = [&](const NamedFile& file, const Target& target) {
        const std::string name = identity(target);
        if (name.empty()) return;
        const auto [other, is_first] = taken.emplace(name, file.option);
        if (!is_first)
            throw BadOption("--" + other->second + " and --" + file.option + " name the same file, " +
                            file.path + ": write to another one");
    };
    std::error_code missing;
    if (std::filesystem::is_regular_file(input.path, missing)) take(input, {input.path, nullptr, true, true});
    for (const NamedFile& output : outputs) {
        if (output.path.empty()) continue;
        try {
            const Target target = find_target(output.path);
            if (target.exists && target.stream == nullptr && access(output.path.c_str(), W_OK) != 0)
                throw_errno();
            if (target.is_file) const Unfinished can_be_made(target.path);
            take(output, target);
        } catch (const std::system_error& error) {
            throw BadOption("--" + output.option + " can't write " + output.path + ": " +
                            error.code().message());
        }
    }
}

/// @brief Writes a text to a file, which is replaced atomically, or to a device or a pipe.
/// @param[in] path "-" is standard output.
/// @throws std::runtime_error if it can't be written. A file is then unchanged.
inline void write_output(const std::string& path, std::string_view text) {
    using namespace output_detail;
    try {
        const Target target = find_target(path);
        if (target.stream != nullptr) {
            std::fputc('\n', target.stream);
            std::fwrite(text.data(), 1, text.size(), target.stream);  // `run_program` checks for errors
        } else if (target.is_file) {
            Unfinished(target.path).complete(text);
        } else {
            write_all(Stream(std::fopen(path.c_str(), "we"), std::fclose), text);
        }
    } catch (const std::system_error& error) {
        throw std::runtime_error(path + ": could not be written: " + error.code().message());
    }
}

/// @brief Appends lines to a file by `write_output`. Programs that do so at the same time take turns.
/// @param[in] heading The first line of a file that is new or empty, and of one that lines can be added to.
/// @throws std::runtime_error if it can't be written or begins otherwise. A file is then unchanged.
inline void append_to_output(const std::string& path, const std::string& heading, const std::string& lines) {
    using namespace output_detail;
    Stream lock(nullptr, std::fclose);
    std::string text;
    try {
        if (const Target target = find_target(path); target.is_file) {
            lock.reset(std::fopen(target.path.parent_path().c_str(), "re"));
            if (lock) flock(fileno(lock.get()), LOCK_EX);  // not the file, which is replaced
            if (std::filesystem::exists(target.path)) {
                const std::vector<unsigned char> old = read_file(target.path, SIZE_MAX);
                text.assign(old.begin(), old.end());
            }
        }
    } catch (const std::exception& error) {
        throw std::runtime_error(path + ": could not be read, so nothing is added: " + error.what());
    }
    if (text.empty()) text = heading;
    if (std::string_view(text).substr(0, text.find('\n')) != heading)
        throw std::runtime_error(path + ": has other columns, so nothing is added: write to another file");
    if (!text.empty() && text.back() != '\n') text += '\n';
    write_output(path, text + lines);
}
