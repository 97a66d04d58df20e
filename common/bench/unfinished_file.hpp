/// @file
/// @brief A file that takes the place of another at once, or not at all.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace output_detail {

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] inline void throw_errno() { throw std::system_error(errno, std::generic_category()); }

/// Writes and closes. @throws std::system_error.
inline void write_all(Stream stream, std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stream.get()) != text.size() ||
        std::fflush(stream.get()) != 0 || std::fclose(stream.release()) != 0)
        throw_errno();
}

/// What a signal that ends the program removes first.
inline std::atomic<const char*> unfinished_file = nullptr;

/// From now on, signals that end the program remove the unfinished file first.
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

/// A new file beside its target, which it replaces once it is complete. If anything fails before, it is
/// removed.
class Unfinished {
 public:
    /// @throws std::system_error if there can't be a new file in that folder.
    explicit Unfinished(const std::filesystem::path& target) : target_(target) {
        watch_signals();
        for (int number = 0;; ++number) {
            name_ = target.parent_path() /
                    (".course-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".part");
            unfinished_file = name_.c_str();
            stream_.reset(std::fopen(name_.c_str(), "wxe"));  // x: a new file, whatever the name may link to
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
        if (!complete_) unlink(name_.c_str());
        unfinished_file = nullptr;
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    /// Writes everything, and replaces the target. @throws std::system_error.
    void complete(std::string_view text) {
        write_all(std::move(stream_), text);
        std::filesystem::rename(name_, target_);
        complete_ = true;
    }

 private:
    const std::filesystem::path target_;
    std::filesystem::path name_;
    Stream stream_{nullptr, std::fclose};
    bool complete_ = false;
};

}  // namespace output_detail
